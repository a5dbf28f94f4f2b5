//! The judgement of imports: block lists, the policy, and from `strict` up the list of allowed imports.

use super::{capability::Capability, finding::Place, judge::Judgement, levels::DANGEROUS, rules::lists};

impl Judgement<'_> {
    /// Judges the import of a module.
    pub(super) fn judge_import(&mut self, module: &str, place: Place) {
        if self.rules.blocks(module) {
            return self.refuse(place, &format!("Blocked import: '{module}'"), Some(module), true);
        }
        let capability = self.policy.capability(module);
        // A module that a list allows is judged by the use of its members, unless it has no harmless ones.
        let lasting = DANGEROUS.contains(capability) || !self.is_allowed_by_name(module, capability);
        if lasting && self.refuse_capability("import", module, capability, place) {
            return;
        }
        if self.is_strict() && !self.is_allowed(module) {
            self.refuse(place, &format!("Import not allowed: '{module}'"), Some(module), true);
        }
    }

    /// Returns whether the list of allowed imports, the declared one or the policy's, has a module.
    pub(super) fn is_allowed(&self, module: &str) -> bool {
        match &self.rules.allowed {
            Some(declared) => lists(declared, module),
            None => self.policy.allows(module),
        }
    }

    /// Returns whether a module may be imported although some of its members are not harmless.
    fn is_allowed_by_name(&self, module: &str, capability: Capability) -> bool {
        match capability {
            Capability::Network | Capability::Write => self.permits(module, capability),
            _ => self.is_allowed(module),
        }
    }

    /// Returns whether a declared list permits a capability that `strict` otherwise blocks: the network, for modules that it names.
    pub(super) fn permits(&self, module: &str, capability: Capability) -> bool {
        let declared = self.rules.allowed.as_ref().is_some_and(|declared| lists(declared, module));
        let reads_only = self.rules.level == mgp_types::code_safety::SafetyLevel::Readonly;
        declared && capability == Capability::Network && !reads_only
    }
}
