//! The words of the page.

use super::table::words;

words! {
    /// The page of decisions.
    ApprovalWords {
        title views open_tab decided_tab nothing nothing_help permissions calls servers definitions back
        stale renew notify notify_on notify_off waiting_one waiting_many
        approve approve_once approve_8h approve_session approve_always deny several several_help choose
        group_one group_many approve_all approve_all_once deny_all all_question always_question
        why agent_says no_intent arguments needed_for asked_by asked_at risk estimate forgotten trail trace
        every_time exactly_these cut_one cut_many whole_call dry_run no_call
        pattern like like_help like_short term other_time other_end preview approve_pattern no_preview
        term_session term_midnight term_1h term_8h term_7d term_30d term_90d term_always term_configured covered_only covered
        unknown_one unknown_many covered_calls other_calls
        needs_one needs_many what_it_is waiting tools_one tools_many within_limits other_times
        reads_files writes_files connects listens runs_programs runs_code reads_memory writes_memory
        reads_system uses_camera notifies other_permission
        paths paths_help hosts hosts_help ports ports_help programs programs_help unlimited unreadable unreadable_help
        asked_for servers_help server_question approve_server
        definitions_help breaking not_breaking held not_held changed_at not_compared differences_cut_one differences_cut_many
        accept keep_refused before after nothing_there
        nothing_decided nothing_decided_help decided_help call decision by at ends change permission limits no_limits server
        is_approved is_approved_once is_denied is_expired is_unreadable for_session never take_back until these_arguments open_again answers_others
    }
}
