//! The judgement of names and members that code uses.

use super::{capability::Capability, finding::Place, judge::Judgement, policy::prefixes, rules::lists};

impl Judgement<'_> {
    /// Judges the use of a resolved name.
    pub(super) fn judge_use(&mut self, name: &str, place: Place) {
        if name.contains('.') && self.rules.blocks(name) {
            return self.refuse(place, &format!("Blocked import: '{name}'"), Some(name), true);
        }
        let root = name.split('.').next().unwrap_or(name);
        let capability = self.policy.capability(name);
        if !self.permits(name, capability) && self.refuse_capability("use", name, capability, place) {
            return;
        }
        if self.is_strict() && self.policy.is_sensitive_module(root) && !self.is_allowed(root) {
            return self.refuse(place, &format!("Import not allowed: '{root}'"), Some(root), true);
        }
        if self.is_strict() {
            // A module that is a member of another one is judged by its own name.
            for held in suffixes(name).filter(|held| !self.policy.is_builtin(held)) {
                let capability = self.policy.capability(held);
                if self.policy.own(name).is_none() && self.refuse_capability("use", name, capability, place) {
                    return;
                }
            }
        }
        for prefix in prefixes(name) {
            let Some((_, member)) = prefix.rsplit_once('.') else { break };
            if self.policy.own(prefix).is_some() {
                break;
            }
            let private = member.starts_with('_') && !member.starts_with("__");
            let capability = self.member(member).or(private.then_some(Capability::Introspection));
            if capability.is_some_and(|capability| self.refuse_capability("use", prefix, capability, place)) {
                return;
            }
        }
    }

    /// Judges a global that the policy does not know. A declared list of imports may allow it.
    pub(super) fn judge_global(&mut self, name: &str, place: Place) {
        if self.is_strict() && !self.rules.allowed.as_ref().is_some_and(|declared| lists(declared, name)) {
            self.refuse(place, &format!("Unknown global: '{name}'"), Some(name), false);
        }
    }

    /// Judges a member of an unknown value.
    pub(super) fn judge_member(&mut self, name: &str, place: Place) {
        if let Some(capability) = self.member(name) {
            self.refuse_capability("member", name, capability, place);
        }
    }

    /// Returns the capability of a member. Members of the runtime that are not known to be harmless look names up.
    fn member(&self, name: &str) -> Option<Capability> {
        let unknown = name.starts_with("__") && !self.policy.is_plain_member(name);
        self.policy.member(name).or(unknown.then_some(Capability::Introspection))
    }
}

/// Returns the text after each dot of a name.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('.').map(|(at, _)| &name[at + 1..])
}
