//! Both ends against each other.

mod both_ends;
mod round_trips;
