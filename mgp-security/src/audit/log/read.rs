//! One interface to read a trail, wherever it is kept.

use super::{
    AuditCountQuery, AuditCounts, AuditDatabase, AuditFilter, AuditHead, AuditLog, AuditPage, AuditPosition,
    EventPlace, TrailVerification, database::unread,
};
use async_trait::async_trait;
use mgp_types::rpc::ErrorObject;
use std::fmt;

/// A reader of one trail, or of those of several machines.
#[async_trait]
pub trait AuditReader: fmt::Debug + Send + Sync {
    /// Returns the latest events that match a filter, oldest first, and the position after the newest event.
    ///
    /// # Errors
    /// -32602 if `before` names no trail and there are several; -32603 if the trail cannot be read.
    async fn latest_page(&self, filter: AuditFilter) -> Result<AuditPage, ErrorObject>;

    /// Returns the first events after a position that match a filter. Reading on neither repeats an event nor misses one, even if events of a
    /// machine arrive late.
    ///
    /// # Errors
    /// Those of [`latest_page`](Self::latest_page).
    async fn after(&self, position: AuditPosition, filter: AuditFilter) -> Result<AuditPage, ErrorObject>;

    /// Counts the newest events of a span of time.
    ///
    /// # Errors
    /// -32603 if the trail cannot be read.
    async fn count(&self, query: AuditCountQuery) -> Result<AuditCounts, ErrorObject>;

    /// Returns the ids of at most `most` traces that begin with a text, in alphabetical order.
    ///
    /// # Errors
    /// -32603 if the trail cannot be read.
    async fn traces(&self, beginning: &str, most: u32) -> Result<Vec<String>, ErrorObject>;

    /// Checks that every event is as it was stored. `head` is the head of an earlier check that was kept elsewhere.
    ///
    /// # Errors
    /// -32603 if the trail cannot be read.
    async fn verify(&self, head: Option<AuditHead>) -> Result<Vec<TrailVerification>, ErrorObject>;
}

#[async_trait]
impl AuditReader for AuditLog {
    async fn latest_page(&self, filter: AuditFilter) -> Result<AuditPage, ErrorObject> {
        Self::latest_page(self, filter).await
    }

    async fn after(&self, position: AuditPosition, filter: AuditFilter) -> Result<AuditPage, ErrorObject> {
        Self::after(self, position, filter).await
    }

    async fn count(&self, query: AuditCountQuery) -> Result<AuditCounts, ErrorObject> {
        Self::count(self, query).await
    }

    async fn traces(&self, beginning: &str, most: u32) -> Result<Vec<String>, ErrorObject> {
        Self::traces(self, beginning, most).await
    }

    async fn verify(&self, head: Option<AuditHead>) -> Result<Vec<TrailVerification>, ErrorObject> {
        let verification = Self::verify(self, head).await?;
        Ok(vec![TrailVerification { trail: self.id().await?, verification, fault: None }])
    }
}

#[async_trait]
impl AuditReader for AuditDatabase {
    async fn latest_page(&self, filter: AuditFilter) -> Result<AuditPage, ErrorObject> {
        check_place(&filter)?;
        Self::latest_page(self, filter).await.map_err(unread)
    }

    async fn after(&self, position: AuditPosition, filter: AuditFilter) -> Result<AuditPage, ErrorObject> {
        check_place(&filter)?;
        Self::after(self, position, filter).await.map_err(unread)
    }

    async fn count(&self, query: AuditCountQuery) -> Result<AuditCounts, ErrorObject> {
        Self::count(self, query).await.map_err(unread)
    }

    async fn traces(&self, beginning: &str, most: u32) -> Result<Vec<String>, ErrorObject> {
        Self::traces(self, beginning, most).await.map_err(unread)
    }

    async fn verify(&self, head: Option<AuditHead>) -> Result<Vec<TrailVerification>, ErrorObject> {
        Self::verify(self, head).await.map_err(unread)
    }
}

/// Checks that the place of an event in a database names its trail.
fn check_place(filter: &AuditFilter) -> Result<(), ErrorObject> {
    match filter.before {
        Some(EventPlace { trail: None, seq }) => Err(ErrorObject::invalid_params(format!(
            "the event {seq} has no trail: expected TRAIL:SEQ, because the database has the trails of several machines"
        ))),
        _ => Ok(()),
    }
}
