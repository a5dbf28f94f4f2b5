//! Tests of whole files.

mod confinement;
mod habits;
mod limits;
mod mistakes;
mod values;
