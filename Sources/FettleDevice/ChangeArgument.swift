internal import ArgumentParser
internal import FettleClient
internal import SyncProtocol

/// A change in the queue, by its number.
struct ChangeArgument: ParsableArguments {
  @Argument(help: "Number of the change, as `status` shows it")
  var number: Int64

  /// Returns the change.
  ///
  /// - Throws: ``ClientError`` if there is none.
  func find(_ client: Client) async throws -> Change.ID {
    let changes = try await client.changes.filter { $0.id.number == number }
    // After the store was copied, numbers of the old device are still shown until they are done.
    guard let change = changes.last(where: { $0.status.isOpen }) ?? changes.last else {
      throw ClientError(
        .unknownChange,
        "there is no change \(number) on this device",
        hint: "run `fettle-device status`"
      )
    }
    return change.id
  }
}
