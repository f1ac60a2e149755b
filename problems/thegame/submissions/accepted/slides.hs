{-# LANGUAGE ScopedTypeVariables #-}

-- Breadth first over cells, layer by layer: from each cell a slide in all four directions, one segment a slide.
-- Around the board there is a ring that is free, and around that one that is not.
import Control.Monad (foldM, unless)
import Control.Monad.ST (ST, runST)
import Data.Array.ST (STUArray, newArray, readArray, writeArray)
import Data.Array.Unboxed (UArray, accumArray, bounds, (!))
import qualified Data.ByteString.Char8 as B
import Data.List (unfoldr)

main :: IO ()
main = B.getContents >>= putStr . boards 1 . B.lines

numbers :: B.ByteString -> [Int]
numbers = unfoldr (B.readInt . B.dropWhile (== ' '))

boards :: Int -> [B.ByteString] -> String
boards number (size : rest) | [w, h] <- numbers size, w > 0 =
  let (rows, others) = splitAt h rest
      width = w + 4
      at x y = (y + 1) * width + x + 1
      ring = [(at x y, True) | y <- [0 .. h + 1], x <- [0 .. w + 1]]
      cards = [(at x y, False) | (y, row) <- zip [1 ..] rows, (x, 'X') <- zip [1 ..] (B.unpack row)]
      free = accumArray (\_ what -> what) False (0, width * (h + 4) - 1) (ring ++ cards)
      queries = takeWhile ((/= 0) . head) (map numbers others)
      answer pair [x1, y1, x2, y2] =
        "Pair " ++ show pair ++ ": " ++ maybe "impossible." segments (fewest free width (at x1 y1) (at x2 y2)) ++ "\n"
      answer _ _ = ""
      segments count = show count ++ " segments."
   in "Board #" ++ show number ++ ":\n"
        ++ concat (zipWith answer [1 :: Int ..] queries)
        ++ "\n"
        ++ boards (number + 1) (drop (length queries + 1) others)
boards _ _ = ""

fewest :: UArray Int Bool -> Int -> Int -> Int -> Maybe Int
fewest free width start goal = runST (newArray (bounds free) False >>= search)
  where
    search :: forall s. STUArray s Int Bool -> ST s (Maybe Int)
    search seen = writeArray seen start True >> layer 1 [start]
      where
        layer :: Int -> [Int] -> ST s (Maybe Int)
        layer _ [] = return Nothing
        layer segments cells = do
          next <- foldM from [] cells
          found <- readArray seen goal
          if found then return (Just segments) else layer (segments + 1) next
        from :: [Int] -> Int -> ST s [Int]
        from cells cell = foldM (\found step -> slide step found (cell + step)) cells [1, -1, width, -width]
        slide :: Int -> [Int] -> Int -> ST s [Int]
        slide step cells cell
          | free ! cell = do
              known <- readArray seen cell
              unless known (writeArray seen cell True)
              slide step (if known then cells else cell : cells) (cell + step)
          | cell == goal = writeArray seen goal True >> return cells
          | otherwise = return cells
