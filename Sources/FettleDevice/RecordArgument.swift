internal import ArgumentParser
internal import FettleClient

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A record on the device, by type and the beginning of its id.
struct RecordArgument: ParsableArguments {
  @Argument(help: "Type, such as maintenance.entry")
  var type: String

  @Argument(help: "Id of the record, or its beginning")
  var id: String

  /// Returns the id of the record.
  ///
  /// - Throws: ``ClientError`` if none or several records begin so.
  func find(_ client: Client) async throws -> UUID {
    let start = id.lowercased()
    let found = try await client.records(type).all().map(\.id).filter { Output.text($0).hasPrefix(start) }
    guard let first = found.first else {
      throw ClientError(
        .unknownRecord,
        "no \(type) on this device begins with \(id)",
        hint: "run `fettle-device list \(type)`"
      )
    }
    guard found.count == 1 else {
      throw ClientError(.invalidInput, "\(found.count) records begin with \(id)", hint: "give more of the id")
    }
    return first
  }
}
