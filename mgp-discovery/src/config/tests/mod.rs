//! Tests of whole files.

mod confinement;
mod limits;
mod mistakes;
mod values;
