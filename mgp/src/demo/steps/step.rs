//! The trait of steps.

use crate::demo::{
    findings::{Findings, Interruption},
    stage::Stage,
};
use async_trait::async_trait;

/// One step of the tour. All of them have the same four functions in the same order.
#[async_trait(?Send)]
pub(in crate::demo) trait Step: Sync {
    /// Returns the name, for programs.
    fn name(&self) -> &'static str;

    /// Returns the title, which describes the step to people.
    fn title(&self) -> &'static str;

    /// Returns parts of the lines that are worth showing to people, in the order in which they are shown.
    fn shown(&self) -> &'static [&'static str];

    /// Plays the step over the wire, checks the answers, and adds the events that must be stored by now.
    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption>;
}
