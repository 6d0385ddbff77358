//! Windows: a job object around a server. All in it ends when the handle closes: with its keeper, or with us,
//! however we end. On Unix the guard and process groups do that, and a job is nothing.

use tokio::process::Child;

/// Ends everything the child started when it is dropped.
#[derive(Debug)]
pub(super) struct Job(
    #[cfg(windows)]
    #[expect(dead_code, reason = "held for its end")]
    win32job::Job,
);

impl Job {
    /// Puts a child that was just started, and so all that it will start, into a job of its own.
    #[cfg(windows)]
    pub(super) fn around(child: &Child) -> Option<Job> {
        let made = || {
            let mut limits = win32job::ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            let job = win32job::Job::create_with_limit_info(&limits)?;
            if let Some(handle) = child.raw_handle() {
                job.assign_process(handle as isize)?;
            }
            Ok::<_, win32job::JobError>(Job(job))
        };
        made().inspect_err(|error| tracing::warn!(%error, "a server runs outside of a job object")).ok()
    }

    /// Ends all that is in it.
    pub(super) fn end(self) {}

    #[cfg(not(windows))]
    pub(super) fn around(_child: &Child) -> Option<Job> {
        None
    }
}
