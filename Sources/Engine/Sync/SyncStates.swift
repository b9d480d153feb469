internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The records that the changes of a push concern, as they are now.
struct SyncStates {
  private var standings: [UUID: RecordStanding] = [:]

  /// Reads the records, which are locked.
  init(_ mutations: [SyncMutation], _ catalogue: TypeCatalogue, company: UUID, _ work: Work) throws {
    let ids = Dictionary(grouping: mutations, by: \.type).mapValues { Array(Set($0.map(\.record))) }
    let tickets = try work.readMore { pipeline in
      try ids.sorted { $0.key < $1.key }.map { name, ids in
        pipeline.rows(try catalogue.type(name).standings(company: company, ids: ids), as: RecordStanding.self)
      }
    }
    for ticket in tickets { for row in try ticket.all { standings[row.id] = row } }
  }

  /// Returns the record; nil if there is none, or none that the member may see.
  subscript(_ id: UUID) -> RecordStanding? { standings[id] }

  /// Notes the effect of an applied change.
  mutating func note(_ id: UUID, version: Int64, isDeleted: Bool = false) {
    standings[id] = RecordStanding(id: id, version: version, isDeleted: isDeleted)
  }
}
