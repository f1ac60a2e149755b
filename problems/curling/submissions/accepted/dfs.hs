-- Depth first, ten throws at most. The board stays as it is: a game carries the few blocks that are gone.
import Data.Array.Unboxed (UArray, listArray, (!))
import qualified Data.ByteString.Char8 as B
import Data.List (elemIndex, foldl', unfoldr)
import Data.Maybe (fromJust)

main :: IO ()
main = do
  text <- B.getContents
  mapM_ print (answers (unfoldr (B.readInt . B.dropWhile (<= ' ')) text))

answers :: [Int] -> [Int]
answers (w : h : numbers)
  | w > 0 = fewest w h cells : answers rest
  where
    (cells, rest) = splitAt (w * h) numbers
answers _ = []

fewest :: Int -> Int -> [Int] -> Int
fewest w h cells = if best > 10 then -1 else best
  where
    best = play start [] 1 11
    side = w + 2
    bordered = edge ++ concatMap (\row -> border : row ++ [border]) (rows cells) ++ edge
    edge = replicate side border
    rows [] = []
    rows numbers = let (row, others) = splitAt w numbers in row : rows others
    board = listArray (0, side * (h + 2) - 1) bordered :: UArray Int Int
    start = fromJust (elemIndex 2 bordered)

    play :: Int -> [Int] -> Int -> Int -> Int
    play at gone throws bound = foldl' try bound [1, -1, side, -side]
      where
        try known step
          | throws >= known = known
          | otherwise = slide (at + step)
          where
            slide here
              | what == goal = throws
              | what == border = known
              | what == block && here `notElem` gone =
                  if here == at + step then known else play (here - step) (here : gone) (throws + 1) known
              | otherwise = slide (here + step)
              where
                what = board ! here

block, goal, border :: Int
block = 1
goal = 3
border = 4
