//! Tests of whole files.

mod accept;
mod addresses;
mod confinement;
mod habits;
mod limits;
mod mistakes;
mod together;
mod values;
