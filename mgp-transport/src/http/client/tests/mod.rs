//! The client against servers made by hand.

mod failures;
mod hand_made;
mod order;
mod streams;

use hand_made::{HandMade, Seen, events, json, status};
