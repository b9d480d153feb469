package import Engine
package import Secrets
package import Webhooks

extension HandlerTable {
  /// Every handler that comes with the program.
  ///
  /// - Parameters:
  ///   - records: opened with the worker's login.
  ///   - policy: which addresses webhooks may reach.
  ///   - secrets: where the secrets are that companies name; nil: nowhere.
  package static func builtIn(
    _ records: Records,
    policy: NetworkPolicy,
    secrets: SecretFolder? = nil
  ) -> HandlerTable {
    let client = WebhookClient(policy: policy)
    var table = HandlerTable()
    table.add(NotifyHandler(records.catalogue))
    table.add(CommentHandler(records.catalogue))
    table.add(WatcherHandler(records.catalogue))
    table.add(SealHandler())
    table.add(PlanHandler(records))
    table.add(AdvanceHandler(records))
    table.add(AssignedHandler())
    table.add(OverdueHandler())
    table.add(WebhookHandler(client))
    table.add(PushHandler(records, client: client, secrets: secrets))
    table.add(PollHandler(client: client, secrets: secrets))
    table.add(PlanFinishHandler(records))
    table.add(WarrantyScanHandler())
    table.add(ClaimPackHandler())
    table.add(DemoRefreshHandler(records))
    return table
  }

  /// Adds what an operator registered; for a kind that the program knows, its answer is taken up.
  package mutating func add(
    _ programs: [Program],
    limits: Program.Limits,
    _ records: Records,
    policy: NetworkPolicy,
    services: Services
  ) {
    let tasks: [any ProgramTask] = [PlanGenerateTask(records)]
    for program in programs {
      add(
        ProgramHandler(
          program,
          limits: limits,
          task: tasks.first { $0.kind == program.kind },
          policy: policy,
          services: services
        )
      )
    }
  }
}
