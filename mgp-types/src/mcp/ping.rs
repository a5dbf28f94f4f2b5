//! `ping`, both ways.

use crate::rpc::Empty;

calls! {
    /// Asks whether the other side is there.
    control Ping = "ping": Empty => Empty;
}
