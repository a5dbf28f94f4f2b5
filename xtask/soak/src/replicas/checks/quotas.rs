//! The units of each agent were spent exactly.

use crate::replicas::{
    effects::Effects,
    hosts::{OutcomeBook, QuotaUse},
    machines::{Agents, Role},
};

/// Returns a description of each agent whose calls do not fit its quota.
pub(crate) fn quotas(book: &OutcomeBook, effects: &Effects, agents: Agents) -> Vec<String> {
    let mut problems = Vec::new();
    for agent in 0..agents.spenders {
        let name = Role::Spender(agent).agent();
        let prefix = format!("{name}-");
        let ran = effects.all().filter(|effect| effect.operation.starts_with(&prefix)).count();
        let QuotaUse { accepted, unknown, refused } = book.spenders.get(&agent).copied().unwrap_or_default();
        let quota = agents.quota;
        let is_exact = ran <= quota && accepted <= ran && accepted + unknown >= quota && refused > 0;
        if !is_exact {
            problems.push(format!(
                "{name} may make {quota} calls: {ran} ran, {accepted} were answered, {unknown} have an unknown outcome, {refused} were refused"
            ));
        }
    }
    problems
}
