package import Engine
package import Webhooks

extension HandlerTable {
  /// The engine's own handlers; apps add theirs.
  package static func engine(_ setup: HandlerSetup) -> HandlerTable {
    var table = HandlerTable()
    table.add(NotifyHandler(setup.records.catalogue))
    table.add(CommentHandler(setup.records.catalogue))
    table.add(WatcherHandler(setup.records.catalogue))
    table.add(SealHandler())
    table.add(WebhookHandler(setup.client))
    return table
  }

  /// Adds the programs that an operator registered.
  ///
  /// - Parameter tasks: the kinds for which a program gets a prepared question and its answer is used.
  package mutating func add(
    _ programs: [Program],
    limits: Program.Limits,
    tasks: [any ProgramTask],
    policy: NetworkPolicy,
    services: Services
  ) {
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
