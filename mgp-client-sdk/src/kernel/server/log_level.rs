//! From which level on a server of the `initialize` era sends log messages: from the lowest that any host asked for, because it has
//! one level for all of them. What each host gets of it is its own level's to say.

use super::{Link, Server};
use mgp_types::mcp::{LoggingLevel, SetLevel, SetLevelParams};
use std::{sync::PoisonError, time::Duration};

/// How long a server may take to answer. It is no reason to refuse what a host wants of it.
const TIME_LIMIT: Duration = Duration::from_secs(5);

impl Server {
    /// Has the server send log messages from `level` on, if it does not do so yet. One that has no log, or takes the level of each
    /// request from the request itself, is not told.
    pub(crate) async fn log_from(&self, link: &Link, level: LoggingLevel) {
        if link.is_stateless() || !link.capabilities.has("logging") || !link.logs_from(level) {
            return;
        }
        let control = link.control();
        let params = SetLevelParams { level, meta: None };
        match tokio::time::timeout(TIME_LIMIT, control.request::<SetLevel>(&params)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(server = self.id(), %error, "the server did not take the level of its log");
            }
            Err(_) => {
                tracing::debug!(server = self.id(), "the server did not answer to the level of its log");
            }
        }
    }
}

impl Link {
    /// Notes from which level on it is told to log; returns whether that is news.
    fn logs_from(&self, level: LoggingLevel) -> bool {
        let mut told = self.log_level.lock().unwrap_or_else(PoisonError::into_inner);
        let news = told.is_none_or(|told| level < told);
        if news {
            *told = Some(level);
        }
        news
    }
}
