//! Schemas and values, hostile ones among them.

mod bounds;
mod dialects;
mod hostile;
mod references;
mod support;
mod told;
