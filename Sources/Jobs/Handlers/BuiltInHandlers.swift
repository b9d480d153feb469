package import Engine
package import Webhooks

extension HandlerTable {
  /// Every handler that comes with the program.
  ///
  /// - Parameters:
  ///   - records: opened with the worker's login.
  ///   - policy: which addresses webhooks may reach.
  package static func builtIn(_ records: Records, policy: NetworkPolicy) -> HandlerTable {
    var table = HandlerTable()
    table.add(NotifyHandler(records.catalogue))
    table.add(SealHandler())
    table.add(PlanHandler(records))
    table.add(AdvanceHandler(records))
    table.add(AssignedHandler())
    table.add(OverdueHandler())
    table.add(WebhookHandler(WebhookClient(policy: policy)))
    return table
  }
}
