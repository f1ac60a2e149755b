//! The one integration binary.

mod sandbox;
