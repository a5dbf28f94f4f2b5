//! `ping`, both ways.

use crate::rpc::Empty;

calls! {
    /// Asks whether the other side is alive.
    control Ping = "ping": Empty => Empty;
}
