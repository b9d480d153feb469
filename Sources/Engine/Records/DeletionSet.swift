internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The records that are deleted or restored together: the named record and those that cascade from it. All of
/// them are locked, parents before children.
struct DeletionSet {
  private let reach: DeletionReach
  private let type: RecordType
  private let id: UUID
  /// The records besides the named one, grouped by type.
  private(set) var others: [(type: RecordType, records: [LockedReferrer])] = []

  init(_ reach: DeletionReach, type: RecordType, id: UUID) {
    self.reach = reach
    self.type = type
    self.id = id
  }

  /// The types of all records in the set.
  var types: [RecordType] {
    others.contains { $0.type.name == type.name } ? others.map(\.type) : [type] + others.map(\.type)
  }

  /// The number of records besides the named one, by type name.
  var counts: [String: Int] {
    Dictionary(others.map { ($0.type.name, $0.records.count) }) { first, _ in first }
  }

  /// Returns the ids of the set's records of a type.
  func ids(of type: RecordType) -> [UUID] {
    let along = others.first { $0.type.name == type.name }?.records.map(\.id) ?? []
    return type.name == self.type.name ? [id] + along : along
  }

  /// Finds and locks the cascaded records, level by level.
  ///
  /// - Parameter deletedAt: nil collects live records; a time collects the tombstones deleted at that time.
  mutating func collect(deletedAt: Instant?, _ work: Work) throws {
    var seen: Set<UUID> = [id]
    var frontier: [(type: RecordType, ids: [UUID])] = [(type, [id])]
    while !frontier.isEmpty {
      let asked = frontier.flatMap { level in
        reach.referrers(to: level.type, .cascade).map { (child: $0, ids: level.ids) }
      }
      let tickets = try work.readMore { pipeline in
        asked.map { item in
          pipeline.rows(
            item.child.type.lockReferrers(
              company: work.context.company,
              column: item.child.reference.column,
              to: item.ids,
              deletedAt: deletedAt
            ),
            as: LockedReferrer.self
          )
        }
      }
      frontier = []
      for (item, ticket) in zip(asked, tickets) {
        let new = try ticket.all.filter { seen.insert($0.id).inserted }
        guard !new.isEmpty else { continue }
        if let index = others.firstIndex(where: { $0.type.name == item.child.type.name }) {
          others[index].records += new
        } else {
          others.append((item.child.type, new))
        }
        frontier.append((item.child.type, new.map(\.id)))
      }
    }
  }

  /// Requires that no record blocks the deletion.
  ///
  /// - Throws: `still_referenced` if a record outside the set refers to one inside it.
  func requireNothingInTheWay(_ work: Work) throws {
    let asked = types.flatMap { gone in
      reach.referrers(to: gone, .restrict).map { (referrer: $0, ids: ids(of: gone)) }
    }
    let tickets = try work.readMore { pipeline in
      asked.map { item in
        pipeline.rows(
          item.referrer.type.obstacles(
            company: work.context.company,
            column: item.referrer.reference.column,
            to: item.ids,
            except: ids(of: item.referrer.type)
          ),
          as: Obstacle.self
        )
      }
    }
    var sentences: [String] = []
    var details: [JSONValue] = []
    for (item, ticket) in zip(asked, tickets) {
      let found = try ticket.all
      guard let first = found.first else { continue }
      let definition = item.referrer.type.definition
      let names = found.prefix(5).map { $0.title ?? $0.id.text }.joined(separator: ", ")
      let more = first.count > 5 ? " and \(first.count - 5) more" : ""
      sentences.append("\(first.count == 1 ? definition.label : definition.plural): \(names)\(more)")
      details.append([
        "type": .string(definition.name), "column": .string(item.referrer.reference.column),
        "count": .integer(first.count), "ids": .strings(found.prefix(5).map(\.id.text)),
      ])
    }
    guard sentences.isEmpty else {
      throw DomainError(
        .stillReferenced,
        "the \(type.definition.label.lowercased()) is still needed by \(sentences.joined(separator: "; "))",
        details: ["references": .array(details)]
      )
    }
  }

  /// Requires and locks the parents of the set's records.
  ///
  /// - Throws: `parent_deleted` if a parent outside the set is deleted.
  func requireParents(_ work: Work) throws {
    let asked = try types.flatMap { child in
      try reach.dependencies(of: child).map { (child: child, column: $0.reference.column, parent: $0.parent) }
    }.sorted { $0.parent.name < $1.parent.name }
    let tickets = try work.readMore { pipeline in
      asked.map { item in
        pipeline.rows(
          item.parent.lockParents(
            company: work.context.company,
            of: ids(of: item.child),
            in: item.child,
            column: item.column,
            except: ids(of: item.parent)
          ),
          Bool.self
        )
      }
    }
    for (item, ticket) in zip(asked, tickets) where try ticket.all.contains(false) {
      throw DomainError(
        .parentDeleted,
        "the \(item.parent.definition.label.lowercased()) that this \(item.child.definition.label.lowercased())"
          + " belongs to has been deleted",
        details: ["type": .string(item.parent.name), "column": .string(item.column)]
      )
    }
  }
}
