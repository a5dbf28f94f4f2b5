//! The renewal of a session that the server has forgotten: the session is reopened once, with its original handshake.
//!
//! A server refuses messages if it does not know the session, because the session expired or the server was restarted
//! ([`lost_session`](super::lost_session)). The refused message did not run, so it is sent again. Calls in flight on other
//! streams may have run, so they fail.

use super::{
    answer::Answer, failure, handshake::Handshake, link::Link, lost_session::SessionLoss, ping::is_lost,
    response::read_answer,
};
use crate::connection::{ConnectionError, Inbox};
use futures_util::FutureExt;
use http::HeaderMap;
use std::sync::Arc;

/// Reopens the session, unless that has happened since the `epoch`, and waits until the session is open. A suspicion is checked
/// first. Returns `false` if the suspicion was wrong, because the server still knows the session.
///
/// # Errors
/// Returns the reason why the session could not be reopened. The caller decides whether to close the connection. It is already
/// closed if the server opened a session that cannot be used.
pub(super) async fn renew(
    link: &Arc<Link>,
    inbox: &Arc<Inbox>,
    epoch: u64,
    loss: SessionLoss,
) -> Result<bool, Arc<str>> {
    // All messages wait for a renewal, but only those that have the suspicion wait for its check.
    if loss == SessionLoss::Suspected && !is_lost(link, epoch).await {
        return Ok(false);
    }
    let renewal = link.renewal(epoch, || {
        let renewal = reopen_in_time(link.clone(), inbox.clone()).boxed().shared();
        // The renewal continues even if its caller is gone.
        tokio::spawn(renewal.clone());
        renewal
    });
    if let Some(renewal) = renewal {
        renewal.await?;
    }
    Ok(true)
}

async fn reopen_in_time(link: Arc<Link>, inbox: Arc<Inbox>) -> Result<(), Arc<str>> {
    let (limit, before) = (link.config.handshake_timeout, link.session());
    let reopened = tokio::time::timeout(limit, reopen(&link, &inbox)).await;
    let reopened = reopened.unwrap_or_else(|_| Err(format!("the handshake took longer than {limit:?}")));
    link.renewed(reopened.is_ok());
    let Err(why) = reopened else { return Ok(()) };
    let why: Arc<str> = format!("the session expired and could not be opened again: {why}").into();
    if link.session() != before {
        close(&link, &inbox, &why);
    }
    Err(why)
}

/// Closes a connection whose session is gone.
pub(super) fn close(link: &Link, inbox: &Inbox, why: &str) {
    link.forget_session();
    inbox.close(ConnectionError::Transport(why.into()));
}

async fn reopen(link: &Arc<Link>, inbox: &Inbox) -> Result<(), String> {
    let Handshake { opening, opened } = link.handshake();
    let Some((id, opening)) = opening else { return Err("there was no handshake".to_owned()) };
    let agreed = link.version();
    tracing::info!("the server forgot the session: it is opened again");
    let response =
        link.post(&opening, Some(&HeaderMap::new()), None).await.map_err(|failure| failure.error.message)?;
    if !response.status().is_success() {
        return Err(failure::of_response(response).await.message);
    }
    link.keep_session(response.headers());
    let mut answer = Answer::of(link, inbox, Some(&id), true, false);
    read_answer(response, &mut answer).await.map_err(|error| error.message)?;
    if !answer.opened {
        return Err("the server refused initialize".to_owned());
    }
    if link.version() != agreed {
        // Everything above the transport relies on the revision of the first handshake.
        return Err("the server now speaks another revision of MCP".to_owned());
    }
    let Some(opened) = opened else { return Ok(()) };
    let response = link.post(&opened, None, None).await.map_err(|failure| failure.error.message)?;
    if response.status().is_success() {
        return Ok(());
    }
    Err(failure::of_response(response).await.message)
}
