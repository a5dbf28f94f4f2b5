//! The events of the gateway, as they happen, for the pages that show them.

use crate::{commands::LiveEvent, page::Context, pages::live_line};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt};
use std::{convert::Infallible, time::Duration};

/// The interval in which an idle stream is checked, so that a session that has ended loses its stream.
const CHECK: Duration = Duration::from_secs(15);

/// Sends each event of a call as a line of the page. The stream ends with its session.
pub(crate) async fn stream(context: Context) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (console, session) = (context.console.clone(), context.session.clone());
    let events = console.commands.follow();
    let lines = events
        .take_while(move |_| std::future::ready(console.sessions.is_open(&session)))
        .filter_map(move |event| std::future::ready(line(&context, &event)));
    Sse::new(lines.map(Ok)).keep_alive(KeepAlive::new().interval(CHECK))
}

fn line(context: &Context, event: &LiveEvent) -> Option<Event> {
    let markup = live_line(context, &event.json)?;
    Some(Event::default().event("call").data(markup.into_string()))
}
