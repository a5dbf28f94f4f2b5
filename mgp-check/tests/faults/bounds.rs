//! The bounds within which a server is read, which the report names.

use crate::{
    SETTINGS,
    fixture::{Fault, target},
};
use mgp_check::check;

async fn names_the_bound(fault: &'static str, bound: &str) {
    let report = check(&target(Fault(fault)), &SETTINGS).await;
    assert!(report.has_failures() && report.to_string().contains(bound), "{fault}: {report}");
}

#[tokio::test(start_paused = true)]
async fn pages_are_read_up_to_a_length() {
    names_the_bound("pages of long entries without end", "or 16 MiB of them").await;
}

#[tokio::test(start_paused = true)]
async fn a_session_is_read_up_to_a_length() {
    names_the_bound("floods with long notifications", "sent more than 64 MiB in one session").await;
}

#[tokio::test(start_paused = true)]
async fn a_message_is_read_up_to_a_number_of_values() {
    names_the_bound("a list of very many values", "a message of too many values").await;
}

#[tokio::test(start_paused = true)]
async fn a_cursor_is_read_up_to_a_length() {
    names_the_bound("a cursor without end", "a cursor longer than").await;
}
