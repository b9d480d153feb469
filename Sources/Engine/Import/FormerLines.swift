internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The lines of earlier imports that have made records, each with all of its cells, mapped or not.
///
/// An import recognises a line by the cells that it reads. The same file with other columns would make all its records a
/// second time: such lines are refused.
struct FormerLines {
  /// The numbers of imports by line: one for each record that was made of such a line.
  private var imports: [LineDigest: [Int64]] = [:]
  private var seen: [LineDigest: Int] = [:]

  /// No lines: everything is new.
  init() {}

  init(_ type: RecordType, _ acting: ActingContext, _ work: Work) throws {
    let rows = try work.transaction.rows(
      ImportStore.lines(company: acting.company.id, type: type.name),
      Int64.self,
      [UInt8].self
    )
    for (number, bytes) in rows {
      for digest in LineDigest.all(bytes) { imports[digest, default: []].append(number) }
    }
  }

  /// Takes the next line of the file, and returns the number of the import that has made a record of it; nil for a new line
  /// and for one more than there were.
  mutating func take(_ digest: LineDigest?) -> Int64? {
    guard let digest, let numbers = imports[digest] else { return nil }
    let place = seen[digest, default: 0]
    seen[digest] = place + 1
    return place < numbers.count ? numbers[place] : nil
  }

  static func refusal(_ number: Int64) -> DomainError {
    DomainError(
      .alreadyExists,
      "import \(number) has made a record of this line, from other columns",
      hint:
        "map the columns as then, undo the import with `fettle record import undo \(number)`, or add --again",
      details: ["import": .integer(Int(number))]
    )
  }
}

extension RecordType {
  /// The columns of the view that name what a reference refers to, with the reference's column: `machine_code` of
  /// `machine_id`.
  func echoes(_ catalogue: TypeCatalogue) throws -> [String: String] {
    let own = Set(columns.map(\.name))
    let shown = Set(viewColumns.map(\.name)).subtracting(own)
    var found: [String: String] = [:]
    for reference in definition.references where definition.creatable.contains(reference.column) {
      let bare = reference.column.hasSuffix("_id") ? String(reference.column.dropLast(3)) : reference.column
      let key: String?
      switch reference.target {
      case "core.membership": key = "name"
      case "core.attachment": key = nil
      default: key = try catalogue.type(reference.target).definition.key.last
      }
      if let key, shown.contains("\(bare)_\(key)") { found["\(bare)_\(key)"] = reference.column }
    }
    return found
  }
}
