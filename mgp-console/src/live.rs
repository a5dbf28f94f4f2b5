//! The events of the gateway, as they happen, for the pages that show them.

use crate::{commands::LiveEvent, console::Console, guard::Session, page::Context, pages::live_line};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt};
use std::{convert::Infallible, future::ready, sync::Arc, time::Duration};
use tokio::time::interval;

/// The interval in which an idle stream is checked, so that a session that has ended loses its stream.
pub(crate) const CHECK: Duration = Duration::from_secs(15);

/// Sends each event of a call as a line of the page. The stream ends with its session.
pub(crate) async fn stream(context: Context) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = while_open(&context, context.console.commands.follow());
    let lines = events.filter_map(move |event| ready(line(&context, &event)));
    Sse::new(lines.map(Ok)).keep_alive(KeepAlive::new().interval(CHECK))
}

/// Ends a stream with the session of a request: at its next item, or soon if none comes.
pub(crate) fn while_open<S: Stream>(context: &Context, items: S) -> impl Stream<Item = S::Item> + use<S> {
    let (console, session) = (context.console.clone(), context.session.clone());
    let end = session_end(console.clone(), session.clone());
    items.take_while(move |_| ready(console.sessions.is_open(&session))).take_until(end)
}

async fn session_end(console: Arc<Console>, session: Arc<Session>) {
    let mut checks = interval(CHECK);
    while console.sessions.is_open(&session) {
        checks.tick().await;
    }
}

fn line(context: &Context, event: &LiveEvent) -> Option<Event> {
    let markup = live_line(context, &event.json)?;
    Some(Event::default().event("call").data(markup.into_string()))
}
