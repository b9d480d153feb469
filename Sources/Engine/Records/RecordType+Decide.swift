internal import Domain
internal import Store

extension RecordType {
  /// Decides a transition. A refused guard has the message of the app's manifest.
  ///
  /// Single commands, bulk commands and jobs all decide here, so that their messages are the same.
  ///
  /// - Throws: the kernel's refusal, such as `wrong_state`, `guard_refused`, `stale` or `forbidden`.
  func decide(
    _ request: TransitionRequest,
    on record: RecordSnapshot,
    by rights: ActorRights,
    under workflow: WorkflowDefinition,
    at now: Instant
  ) throws(DomainError) -> TransitionPlan {
    do throws(DomainError) {
      return try Kernel.apply(request, to: record, by: rights, under: workflow, at: now)
    } catch {
      throw error.wording(messages)
    }
  }
}
