//! The channels of a server's events, and the kernel's subscription to them.

use crate::ground::event_checks::check_channel_of_server;
use mgp_transport::seam::CallError;
use mgp_types::{events::SubscribeParams, rpc::JsonRpcCode};
use parking_lot::Mutex;
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::sync::watch;

/// The time that a host's subscription waits for a server that does not list its channels, refuse or disconnect. Events of a slower server
/// are still received.
const LISTING_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of channels of one server that hosts are shown.
const MAX_CHANNELS: usize = 1024;

/// The answer of a server to a subscription to `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum StarAnswer {
    /// The server accepts it, or was not asked yet.
    #[default]
    Taken,
    /// The server accepts it and lists no channel, so it may not know the meaning of `*`.
    NothingListed,
    /// The server rejects the name.
    Refused,
}

/// The event channels that the server listed when the kernel subscribed, and the kernel's subscription.
#[derive(Debug)]
pub(crate) struct ServerChannels {
    /// Unknown while no host is subscribed.
    listed: watch::Sender<Option<Arc<[String]>>>,
    held: Mutex<HeldSubscription>,
}

/// The kernel's subscription at a server.
#[derive(Debug, Default)]
struct HeldSubscription {
    /// The subscription id of incoming events. It is only known in the `initialize` era, and while the subscription is not being
    /// changed.
    id: Option<String>,
    /// True if the server answered, and listed no valid channel.
    lists_nothing: bool,
    star: StarAnswer,
    names: NameAnswers,
    /// True while a host's subscription to the server's events keeps the server running.
    has_subscribers: bool,
}

/// A server's answers to channel names, if it rejects a whole list for one unknown name.
#[derive(Debug, Default)]
struct NameAnswers {
    /// The names in the last list that the server accepted.
    taken: Vec<String>,
    refused: HashSet<String>,
    /// True once the server rejected a list with several new names. From then on, each list has one new name.
    one_by_one: bool,
}

impl Default for ServerChannels {
    fn default() -> Self {
        Self { listed: watch::Sender::new(None), held: Mutex::default() }
    }
}

impl ServerChannels {
    /// Sets the channels that the server listed, without invalid ones.
    pub(super) fn know(&self, channels: &[String]) {
        let channels = channels.iter().filter(|channel| check_channel_of_server(channel).is_ok());
        let known: Arc<[String]> = channels.take(MAX_CHANNELS).cloned().collect();
        // A server that repeats `*` may treat it as an ordinary name.
        self.held.lock().lists_nothing = known.is_empty();
        if !known.is_empty() {
            self.listed.send_replace(Some(known));
        }
    }

    /// Sets whether a host's subscription to the server's events keeps the server running.
    pub(super) fn subscribed(&self, yes: bool) {
        self.held.lock().has_subscribers = yes;
    }

    /// Sets whether the server was asked for its events. A server that listed no channels has none.
    pub(super) fn asked(&self, yes: bool) {
        self.listed.send_if_modified(|channels| {
            let changed = channels.is_some() != yes;
            if changed {
                *channels = yes.then(|| [].into());
            }
            changed
        });
    }

    /// Notes that the server is about to be asked for other events. Its channels and the subscription id are unknown until it answers.
    pub(super) fn changing(&self) {
        self.listed.send_replace(None);
        let mut held = self.held.lock();
        (held.id, held.lists_nothing) = (None, false);
    }

    /// Returns whether a host's subscription to the server's events keeps the server running.
    pub(super) fn have_subscribers(&self) -> bool {
        self.held.lock().has_subscribers
    }

    /// Forgets the channels and the subscription, because the connection is gone.
    pub(super) fn forget(&self) {
        self.listed.send_replace(None);
        *self.held.lock() = HeldSubscription::default();
    }

    /// Sets the id of the subscription.
    pub(super) fn come_as(&self, id: &str) {
        self.held.lock().id = Some(id.to_owned());
    }

    /// Returns whether an event with a subscription id belongs to the kernel's subscription, as far as is known.
    pub(crate) fn is_of_subscription(&self, id: &str) -> bool {
        self.held.lock().id.as_deref().is_none_or(|held| held == id)
    }

    /// Returns the server's answer to `*`.
    pub(super) fn star(&self) -> StarAnswer {
        self.held.lock().star
    }

    /// Learns from the answer to a subscription whether the server accepts `*`. Returns true if it turned out not to.
    pub(super) fn learn_star(&self, asked: &SubscribeParams, answered: &Result<(), CallError>) -> bool {
        let mut held = self.held.lock();
        if asked.channels != ["*"] || held.star != StarAnswer::Taken {
            return false;
        }
        held.star = match answered {
            Err(CallError::Peer(error)) if error.code == i64::from(JsonRpcCode::InvalidParams) => {
                StarAnswer::Refused
            }
            Ok(()) if held.lists_nothing => StarAnswer::NothingListed,
            _ => StarAnswer::Taken,
        };
        held.star != StarAnswer::Taken
    }

    /// Learns from the answer to a subscription which names the server rejects. Returns whether the next list may differ.
    pub(super) fn learn_names(&self, asked: &SubscribeParams, answered: &Result<(), CallError>) -> bool {
        let mut held = self.held.lock();
        if asked.channels == ["*"] {
            return false;
        }
        let NameAnswers { taken, refused, one_by_one } = &mut held.names;
        match answered {
            Ok(()) => {
                taken.clone_from(&asked.channels);
                *one_by_one
            }
            Err(CallError::Peer(error)) if error.code == i64::from(JsonRpcCode::InvalidParams) => {
                let mut new = asked.channels.iter().filter(|name| !taken.contains(name));
                match (new.next(), new.next()) {
                    (Some(name), None) if refused.len() < MAX_CHANNELS => refused.insert(name.clone()),
                    (Some(_), Some(_)) => !std::mem::replace(one_by_one, true),
                    _ => false,
                }
            }
            Err(_) => false,
        }
    }

    /// Leaves out the names that the server rejects; `None` if nothing is left. Otherwise a name that one host wants would make the
    /// server reject the others'.
    pub(super) fn without_refused(&self, wanted: SubscribeParams) -> Option<SubscribeParams> {
        let held = self.held.lock();
        let NameAnswers { taken, refused, one_by_one } = &held.names;
        let (mut channels, mut has_new) = (wanted.channels, false);
        channels.retain(|name| {
            let is_new = !taken.contains(name);
            let is_later = is_new && *one_by_one && has_new;
            let is_asked = !refused.contains(name) && !is_later;
            has_new |= is_asked && is_new;
            is_asked
        });
        (!channels.is_empty()).then_some(SubscribeParams { channels, ..wanted })
    }

    /// Waits until the channels are known, if the server lists them in time. A server that is `gone` meanwhile has none.
    pub(crate) async fn listed(&self, gone: impl Future<Output = ()>) -> Arc<[String]> {
        let mut channels = self.listed.subscribe();
        let known = async {
            tokio::select! {
                known = channels.wait_for(Option::is_some) => known.ok().and_then(|known| known.clone()),
                () = gone => None,
            }
        };
        let known = tokio::time::timeout(LISTING_TIMEOUT, known).await;
        known.ok().flatten().unwrap_or_default()
    }
}
