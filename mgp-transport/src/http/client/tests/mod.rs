//! The client against servers made by hand.

mod authorize;
mod failures;
mod hand_made;
mod http_sse;
mod lost_session;
mod order;
mod pace;
mod session;
mod stateless;
mod streams;

use hand_made::{HandMadeServer, SeenRequest, events, json, status};
