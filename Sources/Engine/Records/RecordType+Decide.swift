internal import Domain
internal import Store

extension RecordType {
  /// Decides a transition; a refused guard speaks in the words of the app's manifest.
  ///
  /// Single commands, bulk commands and jobs all decide here, so that they refuse in the same words.
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
