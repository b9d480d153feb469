internal import ArgumentParser
internal import FettleClient

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The folder of a device, with its settings.
struct DeviceFolder: ParsableArguments {
  @Option(help: "Folder of the device (default: $FETTLE_DEVICE or fettle-device)")
  var folder: String?

  /// The settings of a device, which `sign-in` writes.
  struct Settings: Codable {
    var server: String
    var app: String?
    var name: String
    /// The days for which the device keeps work that is done; nil to keep all of it.
    var doneDays: Int?
  }

  private var path: String {
    folder ?? ProcessInfo.processInfo.environment["FETTLE_DEVICE"] ?? "fettle-device"
  }

  /// Stores the settings.
  func save(_ settings: Settings) throws {
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try JSONEncoder().encode(settings).write(to: URL(filePath: "\(path)/device.json"), options: .atomic)
  }

  /// Returns the settings.
  ///
  /// - Throws: ``ClientError`` before the first sign-in.
  func settings() throws -> Settings {
    guard FileManager.default.fileExists(atPath: "\(path)/device.json") else {
      throw ClientError(
        .signedOut,
        "there is no device in the folder \(path)",
        hint: "run `fettle-device sign-in SERVER --email ADDRESS`, or name the folder with --folder"
      )
    }
    return try JSONDecoder().decode(
      Settings.self,
      from: Data(contentsOf: URL(filePath: "\(path)/device.json"))
    )
  }

  /// Opens the device, and closes it at the end.
  func open<Value>(_ body: (Client) async throws -> Value) async throws -> Value {
    let settings = try settings()
    let transport = try HTTPTransport(settings.server)
    let result: Result<Value, any Error>
    do {
      let client = try Client(
        folder: path,
        transport: transport,
        configuration: FettleClient.Configuration(
          app: settings.app,
          deviceName: settings.name,
          platform: "command line",
          appVersion: "1",
          doneDays: settings.doneDays
        )
      )
      result = .success(try await body(client))
    } catch {
      result = .failure(error)
    }
    try await transport.close()
    return try result.get()
  }
}
