//! The filters, and the command line for them.

use crate::{command_line::Words, page::Context};

/// The choices of the reader.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TrailFilter<'a> {
    pub(super) agent: Option<&'a str>,
    pub(super) server: Option<&'a str>,
    pub(super) tool: Option<&'a str>,
    pub(super) event_type: Option<&'a str>,
    pub(super) result: Option<&'a str>,
    pub(super) trace: Option<&'a str>,
    pub(super) since: Option<&'a str>,
    pub(super) until: Option<&'a str>,
    /// The event before which the events are shown.
    pub(super) before: Option<&'a str>,
}

impl<'a> TrailFilter<'a> {
    pub(super) fn of(context: &'a Context) -> Self {
        let field = |name| context.query.one(name).map(str::trim).filter(|value| !value.is_empty());
        Self {
            agent: field("agent"),
            server: field("server"),
            tool: field("tool"),
            event_type: field("type"),
            result: field("result"),
            trace: field("trace"),
            since: field("since"),
            until: field("until"),
            before: field("before"),
        }
    }

    /// Returns whether any event may be left out.
    pub(super) const fn is_set(&self) -> bool {
        let of_call =
            self.agent.is_some() || self.server.is_some() || self.tool.is_some() || self.trace.is_some();
        of_call
            || self.event_type.is_some()
            || self.result.is_some()
            || self.since.is_some()
            || self.until.is_some()
    }

    /// Returns the command that reads the newest events that fit.
    pub(super) fn events(&self, last: usize) -> Words {
        self.add_to(Words::of(&["audit"]).option("last", Some(&last.to_string())))
            .option("trace", self.trace)
            .option("before", self.before)
    }

    /// Returns the command that exports all events that fit.
    pub(super) fn export(&self) -> Words {
        self.add_to(Words::of(&["audit", "export"]).option("format", Some("ocsf")))
            .option("trace", self.trace)
    }

    /// Adds the filters that all commands on events have.
    pub(super) fn add_to(&self, words: Words) -> Words {
        words
            .option("agent", self.agent)
            .option("server", self.server)
            .option("tool", self.tool)
            .option("type", self.event_type)
            .option("result", self.result)
            .option("since", self.since)
            .option("until", self.until)
    }
}
