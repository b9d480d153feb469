internal import ArgumentParser
internal import FettleClient

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A record on the device, named as at the other commands: by its number, its key, its id or the beginning of the id.
struct RecordArgument: ParsableArguments {
  @Argument(help: "Type, such as maintenance.entry")
  var type: String

  @Argument(help: "Number, key or id of the record, or the beginning of the id")
  var record: String

  /// Returns the id of the record.
  ///
  /// - Throws: ``ClientError`` if none or several records have the name.
  func find(_ client: Client) async throws -> UUID {
    guard let id = try await RecordName.find(record, type, client) else {
      throw ClientError(
        .unknownRecord,
        "there is no \(type) \"\(record)\" on this device",
        hint: "run `fettle-device list \(type)`"
      )
    }
    return id
  }
}

/// Finds a record of this device by its name.
enum RecordName {
  /// The columns that name a record: its number, and the keys of the bundled types. A device does not know which column
  /// is the key of a type, so the name must fit one record only.
  private static let columns = ["number", "code", "name", "title", "reference", "external_ref"]

  /// Returns the id of the record with a name; nil if there is none.
  ///
  /// - Throws: ``ClientError`` if several records have the name.
  static func find(_ text: String, _ type: String, _ client: Client) async throws -> UUID? {
    if let id = UUID(uuidString: text) { return id }
    let records = try await client.records(type).all()
    let name = folded(text)
    var found = records.filter { record in
      columns.contains { record[$0]?.string.map(folded) == name }
    }
    if found.isEmpty, name.count >= shortest {
      found = records.filter { Output.text($0.id).hasPrefix(name) }
    }
    guard found.count <= 1 else {
      throw ClientError(
        .invalidInput,
        "\(found.count) records of \(type) are named \"\(text)\"",
        hint: "give the id of one: \(found.prefix(5).map { Output.text($0.id) }.joined(separator: ", "))"
      )
    }
    return found.first?.id
  }

  /// Returns the fields with ids in the place of names: `machine_id=RM-001` of a `maintenance.entry` names a
  /// `maintenance.machine` of this device. A name that no record here has stays as it is, and the server judges it.
  static func resolved(_ fields: [String: FieldValue], of type: String, _ client: Client) async throws
    -> [String: FieldValue]
  {
    var resolved = fields
    let types = try await client.types
    for (column, value) in fields where column.hasSuffix("_id") {
      let target = "\(type.prefix { $0 != "." }).\(column.dropLast("_id".count))"
      guard let text = value.string, types.contains(target) else { continue }
      if let id = try await find(text, target, client) {
        resolved[column] = .string(Output.text(id))
      } else {
        Output.error("no \(target) on this device is called \"\(text)\"; the server judges it")
      }
    }
    return resolved
  }

  /// The fewest characters of the beginning of an id, so that a word is not taken for one.
  private static let shortest = 4

  private static func folded(_ text: String) -> String {
    text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
