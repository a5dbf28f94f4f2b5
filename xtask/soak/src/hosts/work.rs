//! The choice of a host's next action.

use super::{Era, Host};
use serde_json::json;
use std::time::Duration;

/// Performs one action: mostly, the host calls a tool and waits for the answer.
pub(super) async fn next(host: &mut Host) {
    match host.random.below(1000) {
        0..25 => host.reset_in_the_middle().await,
        25..40 => host.send_half().await,
        40..45 => host.stop_reading().await,
        45..60 => host.vanish_in_the_middle().await,
        60..75 => vanish(host),
        75..80 => sleep_until_it_expires(host).await,
        80..90 if host.era == Era::Stateless => host.leave_a_question().await,
        80..90 => host.reset_in_the_middle().await,
        90..103 => drop(host.list().await),
        103..105 => host.burst().await,
        105..600 => {
            let text = "soak ".repeat(1 + host.random.below(40));
            host.call("echo", json!({"text": text})).await;
        }
        600..750 => {
            let ms = host.random.within(20..800);
            host.call("slow", json!({"ms": ms})).await;
        }
        750..880 => {
            let steps = host.random.within(1..20);
            host.call("progress", json!({"steps": steps, "ms": 15})).await;
        }
        _ => host.call("ask", json!({})).await,
    }
}

/// Disappears without notice: the session stays until it expires.
fn vanish(host: &mut Host) {
    host.shared.ledger.fault("hosts that vanish without DELETE");
    host.connection = None;
    host.session = None;
}

/// Sends nothing for longer than a session lasts. The host's next request is answered with 404.
async fn sleep_until_it_expires(host: &mut Host) {
    if host.era == Era::Stateless {
        return vanish(host);
    }
    host.shared.ledger.fault("sessions that expire");
    host.connection = None;
    let id = host.session.take().map(|session| session.id);
    tokio::time::sleep(host.shared.idle_timeout + Duration::from_secs(3)).await;
    // The stream would have kept the session alive.
    host.session = id.map(|id| super::host::Session { id, _stream: None });
}
