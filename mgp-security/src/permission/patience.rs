//! The timeouts of hosts that are known to end a call sooner than others.

use mgp_transport::seam::Session;
use mgp_types::mcp::Implementation;
use std::time::Duration;

/// Hosts that end a call within a minute, by the name that they state, with the time that a call may wait there. It is shorter than
/// their timeout, so that the answer can name the question.
const IMPATIENT: &[(&str, Duration)] = &[
    // 30 s (`toolCallTimeoutSeconds`).
    ("Jan", Duration::from_secs(20)),
    ("Jan-Streamable-Client", Duration::from_secs(20)),
];

/// Returns the time that a call waits for an approval on a session: the given one, or less if the host is known to time out sooner.
#[must_use]
pub fn patient_wait(session: Option<&Session>, wait: Duration) -> Duration {
    let Some(host) = session.and_then(Session::get::<Implementation>) else { return wait };
    let known = IMPATIENT.iter().find(|(name, _)| *name == host.name);
    known.map_or(wait, |(_, patience)| wait.min(*patience))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_with_a_short_timeout_is_answered_in_time() {
        let of = |name: &str, wait| {
            let session = Session::new("host");
            session.set(Implementation::new(name, "1"));
            patient_wait(Some(&session), Duration::from_secs(wait)).as_secs()
        };
        assert_eq!((of("Jan", 45), of("Jan", 5)), (20, 5));
        assert_eq!(of("claude-ai", 45), 45);
        assert_eq!(patient_wait(None, Duration::from_secs(45)).as_secs(), 45);
    }
}
