package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store
internal import SyncProtocol

/// What a person needs to decide about a conflict: the record as it is now, and each field of the change beside it.
package struct SyncConflict: Sendable {
  /// A field of the change.
  package struct Field: Sendable {
    package let name: String
    /// The value of the change.
    package let own: JSONValue
    /// The record's value now.
    package let server: JSONValue
    /// The value that the device knew when it made the change; nil if that cannot be told.
    package let base: JSONValue?
    /// True if the field is the reason of the conflict.
    package let isInConflict: Bool
    /// The change of the field since then; nil if nobody changed it.
    package let past: FieldPast?
  }

  /// The record's version now.
  package let version: Int64
  /// The record's status now; nil without a workflow.
  package let status: String?
  package let fields: [Field]
}

extension SyncReview {
  /// Returns what is known of conflicts, by their place in the list. A record that is deleted, or that the actor may not
  /// read, has none.
  func conflicts(_ items: [SyncItemRow], _ rights: Rights, company: UUID, _ tx: Transaction) throws
    -> [Int: SyncConflict]
  {
    var waiting: [(place: Int, item: SyncItemRow, type: RecordType, change: SyncMutation)] = []
    for (place, item) in items.enumerated() where item.status == SyncStatus.conflict.rawValue {
      guard let object = try item.mutation?.value().object, let change = try? SyncMutation(object),
        let type = try? records.catalogue.type(change.type)  // an app that was uninstalled
      else { continue }
      waiting.append((place, item, type, change))
    }
    guard !waiting.isEmpty else { return [:] }
    let types = Dictionary(grouping: waiting, by: \.type.name).sorted { $0.key < $1.key }
    let questions = waiting.flatMap { place, _, type, change -> [FieldPast.Question] in
      guard case .patch(let fields, let base?) = change.operation else { return [] }
      return fields.keys.map {
        FieldPast.Question(place: place, type: type.name, record: change.record, base: base, field: $0)
      }
    }
    let tickets = try tx.pipeline { pipeline in
      (
        records: types.compactMap { _, items in
          items.first.map { first in
            let ids = Set(items.map(\.change.record)).sorted { $0.text < $1.text }
            return pipeline.rows(first.type.shown(company: company, ids: ids), UUID.self, JSON.self)
          }
        },
        pasts: questions.isEmpty
          ? nil : pipeline.rows(FieldPast.query(questions, company: company), as: FieldPast.self)
      )
    }
    var documents: [UUID: JSONObject] = [:]
    for ticket in tickets.records {
      for (id, document) in try ticket.all { documents[id] = try document.value().object }
    }
    let pasts = Dictionary(grouping: try tickets.pasts?.all ?? [], by: \.place)
    var conflicts: [Int: SyncConflict] = [:]
    for (place, item, type, change) in waiting {
      guard let record = documents[change.record], rights.canRead(type, record) else { continue }
      conflicts[place] = try SyncConflict(item, change, record, pasts[place] ?? [])
    }
    return conflicts
  }
}

extension SyncConflict {
  fileprivate init(_ item: SyncItemRow, _ change: SyncMutation, _ record: JSONObject, _ pasts: [FieldPast])
    throws
  {
    version = record["version"]?.number?.integer ?? 0
    status = record["status"]?.string
    let refused = try item.answer?.value().object?["fields"]?.array?.compactMap(\.string) ?? []
    let given: JSONObject =
      switch change.operation {
      case .create(let fields), .patch(let fields, _): fields
      case .transition(let request): request.fields
      case .delete, .attach: [:]
      }
    fields = try given.members.map { name, own in
      let past = pasts.first { $0.field == name }
      let server = record[name] ?? .null
      var base: JSONValue?
      if let past, past.isTold { base = past.isChanged ? try past.before?.value() ?? .null : server }
      return Field(
        name: name,
        own: own,
        server: server,
        base: base,
        isInConflict: refused.contains(name),
        past: past?.isChanged == true ? past : nil
      )
    }
  }
}
