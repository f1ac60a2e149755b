//! The overviews as they are read: by snapshots, and by an independent reader of pages.
