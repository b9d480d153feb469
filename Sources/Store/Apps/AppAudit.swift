internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets

/// Writes installations, upgrades and removals of apps to the audit of the system company, because they
/// concern all companies.
struct AppAudit {
  let actor: Actor

  func write(_ outcome: AppInstaller.Outcome, hash: [UInt8], _ tx: Transaction) throws {
    var detail: JSONObject = [
      "version": .string(String(outcome.version)), "hash": .string(Hex.encode(hash)),
      "migrations": .strings(outcome.schema.migrations.map(\.path)),
      "new_permissions": .strings(outcome.newPermissions),
      "old_permissions": .strings(outcome.oldPermissions),
    ]
    if let previous = outcome.previous { detail["previous"] = .string(String(previous)) }
    try write(outcome.previous == nil ? "app.installed" : "app.upgraded", app: outcome.app, detail, tx)
  }

  func write(_ action: String, app: String, _ detail: JSONObject, _ tx: Transaction) throws {
    let ids = UUIDv7Generator.shared
    let entry = AuditEntry(action: action, subjectType: "app", subjectID: app, detail: JSON(detail))
    try OperatorView.look(tx) { tx in
      let company = try tx.value("select c.id from core.company c where c.kind = 'system'", as: UUID.self)
      let context = WorkContext(company: company, actor: actor, user: nil, requestID: ids.next())
      try OperatorView.enter(company, tx)
      try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
    }
  }
}
