import Domain
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import SyncProtocol

/// The invariant that nobody overwrites what they have not seen.
extension SyncWorld {
  /// A word that somebody wrote into a column.
  struct Patch: Sendable {
    let member: UUID
    /// The value that the phone showed before; nil for none.
    let shown: String?
  }

  /// Requires that every change replaced the value that its phone had shown, unless a person decided otherwise.
  ///
  /// A phone may also have shown a word of its own member that the server did not have yet: whether that was refused is
  /// up to the change that wrote it. A restored server lacks what phones have shown.
  mutating func checkOverwritten() async throws {
    guard !isRestored else { return }
    var decided: Set<String> = []
    for phone in phones {
      for change in try await phone.client.changes where change.status == .resolved {
        decided.formUnion(change.fields.values.compactMap(\.string))
      }
    }
    let rows = try await api.shop.engine.superuser.rows(
      """
      select h.record_id, c.key, c.value ->> 0, c.value ->> 1
      from core.history h cross join jsonb_each(h.changes) c
      where h.company_id = \(api.shop.company.id) and h.record_type = \(Self.type) and h.kind = 'edit'
        and c.key = any(\(Self.patched))
      """,
      UUID.self,
      String.self,
      String?.self,
      String?.self
    )
    for (record, column, old, new) in rows {
      guard let new, let patch = patches[new], patch.shown != old, !decided.contains(new) else { continue }
      if let shown = patch.shown, patches[shown]?.member == patch.member { continue }
      problems.append(
        "\(record.text) \(column): \(new) replaced \(old ?? "nothing"), its phone showed \(patch.shown ?? "nothing")"
      )
    }
  }
}
