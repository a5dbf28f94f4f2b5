//! The kernel's own tools, which give hosts with only `tools/call` access to the methods of §16.

spelled! {
    /// A tool that the kernel itself answers. The dotted names are those of later drafts, and are accepted in calls.
    pub enum MetaTool as "meta-tool" {
        /// Finds tools.
        Discover = "mgp_tools_discover" | "mgp/tools/discover" | "mgp.tools.discover",
        /// Asks for tools.
        Request = "mgp_tools_request" | "mgp.tools.request",
        /// Calls a tool that was found.
        Call = "mgp_tools_call",
        /// Lists the tools that the session has.
        Session = "mgp_tools_session" | "mgp.tools.session",
        /// Removes tools from the session.
        Evict = "mgp_tools_evict" | "mgp.tools.evict" | "mgp.tools.session.evict",
        /// Begins and ends transactions, if they are offered as a tool.
        Transaction = "mgp_transaction",
        /// Reads a part of a result that the kernel keeps.
        Read = "mgp_result_read",
    }
}

impl MetaTool {
    /// Returns whether a name is reserved for the kernel: `mgp` and a separator. A server's tool with such a name is hidden.
    ///
    /// ```
    /// use mgp_types::tool_index::MetaTool;
    /// assert!(MetaTool::reserves("mgp_anything") && MetaTool::reserves("MGP.x"));
    /// assert!(!MetaTool::reserves("mgpx"));
    /// ```
    #[must_use]
    pub fn reserves(name: &str) -> bool {
        let bytes = name.as_bytes();
        bytes.len() > 3
            && bytes[..3].eq_ignore_ascii_case(b"mgp")
            && !(bytes[3].is_ascii_alphanumeric() || bytes[3] >= 0x80)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meta_tool_has_a_reserved_name() {
        assert!(MetaTool::ALL.iter().all(|tool| MetaTool::reserves(tool.as_str())));
        for name in ["mgp/tools/discover", "mgp.tools.discover"] {
            assert_eq!(name.parse(), Ok(MetaTool::Discover));
            assert!(MetaTool::reserves(name));
        }
        for (name, tool) in [
            ("mgp.tools.request", MetaTool::Request),
            ("mgp.tools.session", MetaTool::Session),
            ("mgp.tools.evict", MetaTool::Evict),
            ("mgp.tools.session.evict", MetaTool::Evict),
        ] {
            assert_eq!(name.parse(), Ok(tool));
            assert_ne!(tool.as_str(), name, "it is listed once");
        }
    }
}
