-- Labels the regions, joins those that touch, and goes breadth first from the first to the last.
import Data.Array (Array, bounds, listArray, (!))
import qualified Data.IntMap.Strict as M
import qualified Data.IntSet as S
import Data.List (foldl')

main :: IO ()
main = do
  text <- getContents
  let m : n : _ = map read (words text)
      -- Rows are written with and without blanks.
      cells = listArray (0, m * n - 1) (concat (drop 2 (words text)))
  print (distance m n cells - 1)

distance :: Int -> Int -> Array Int Char -> Int
distance m n cells = rounds 0 (S.singleton (region M.! 0)) (S.singleton (region M.! 0))
  where
    beside v = [v - 1 | v `mod` n > 0] ++ [v + 1 | v `mod` n < n - 1] ++ [v - n | v >= n] ++ [v + n | v + n < m * n]

    -- The number of the region of each cell: that of its first cell.
    region = foldl' label M.empty [0 .. snd (bounds cells)]
    label known first
      | M.member first known = known
      | otherwise = fill known [first]
      where
        fill labels [] = labels
        fill labels (v : open)
          | M.member v labels = fill labels open
          | otherwise = fill (M.insert v first labels) ([u | u <- beside v, cells ! u == cells ! v] ++ open)

    touching = M.fromListWith S.union [(r, S.fromList (map (region M.!) (beside v))) | (v, r) <- M.toList region]

    goal = region M.! (m * n - 1)
    rounds count reached edge
      | S.member goal edge = count
      | otherwise = rounds (count + 1 :: Int) (S.union reached next) next
      where
        next = S.unions [touching M.! r | r <- S.toList edge] S.\\ reached
