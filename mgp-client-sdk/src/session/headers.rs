//! The headers that repeat arguments of tools, over HTTP in the stateless revisions.

use super::ServerSession;
use crate::left_out::LeftOutEntries;
use mgp_types::mcp::Tool;

impl ServerSession {
    /// Returns `true` if arguments can be repeated in headers.
    pub fn has_headers(&self) -> bool {
        #[cfg(feature = "http")]
        return self.headers().is_some();
        #[cfg(not(feature = "http"))]
        false
    }

    /// Stores which arguments of listed tools are repeated in headers. Returns the tools, and separately those whose annotations cannot
    /// be followed. The latter cannot be called, and MCP requires that they are left out.
    #[cfg(feature = "http")]
    pub fn follow_headers<T>(&self, listed: Vec<T>, tool: impl Fn(&T) -> &Tool) -> (Vec<T>, LeftOutEntries) {
        use mgp_transport::http::param_header::ParamHeader;

        let mut left_out = LeftOutEntries::of("tool");
        let Some(table) = self.headers() else { return (listed, left_out) };
        let (mut followed, mut headers) = (Vec::with_capacity(listed.len()), Vec::new());
        for (place, entry) in listed.into_iter().enumerate() {
            let Tool { name, input_schema, .. } = tool(&entry);
            match input_schema.as_ref().map_or(Ok(Vec::new()), ParamHeader::of_schema) {
                Ok(of_tool) => {
                    headers.push((name.clone(), of_tool));
                    followed.push(entry);
                }
                Err(error) => left_out.add(Some(name), place, &error),
            }
        }
        table.set(headers);
        (followed, left_out)
    }

    /// Returns the tools unchanged: only over HTTP are arguments repeated in headers.
    #[cfg(not(feature = "http"))]
    pub fn follow_headers<T>(&self, listed: Vec<T>, _: impl Fn(&T) -> &Tool) -> (Vec<T>, LeftOutEntries) {
        (listed, LeftOutEntries::of("tool"))
    }

    #[cfg(feature = "http")]
    fn headers(&self) -> Option<mgp_transport::http::client::ToolHeaders> {
        self.is_stateless().then(|| self.peer.session().get()).flatten()
    }
}
