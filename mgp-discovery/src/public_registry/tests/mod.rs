//! How registries are asked, and what their entries become.

mod asked;
mod ways;
