internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Webhooks

/// The options of commands that compare a provisioning file with the database.
struct ProvisioningFile: ParsableArguments {
  @Option(
    name: [.customShort("f"), .customLong("file")],
    help: ArgumentHelp("Provisioning file; - for standard input", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"])
  )
  var file: String

  @Flag(help: "Remove subjects missing in sections of the file")
  var prune = false

  @OptionGroup var connection: ConnectionOptions

  /// Reads the file and runs a command's body with the plans of its companies and the text of the file.
  ///
  /// - Throws: `invalid_document` if the file is not UTF-8 or not a valid document, with the position.
  func withPlans(_ body: (Provisioning, [CompanyPlan], String) async throws -> Void) async throws {
    let name = file == "-" ? "standard input" : file
    let text = try FileChunks(path: file).text(limits: .data, document: name)
    do {
      try await connection.withServices { services in
        let provisioning = try await Provisioning.open(
          services,
          operatorName: Operator.name,
          webhookFault: Webhook.fault(in:)
        )
        // The installed apps determine the sections of a file.
        let document = try decode(text, name, provisioning)
        try await body(provisioning, try await provisioning.plan(document, prunes: prune), text)
      }
    } catch let refusal as DomainError where refusal.details["path"] != nil && refusal.details["line"] == nil
    {
      throw YAMLDocument.locating(refusal, in: text, document: name)
    }
  }

  private func decode(_ text: String, _ name: String, _ provisioning: Provisioning) throws
    -> ProvisioningDocument
  {
    let document = try YAMLDocument.decode(
      ProvisioningDocument.self,
      text,
      document: name,
      limits: .data,
      userInfo: provisioning.userInfo
    )
    if file == "-", document.asksStandardInput {
      throw DomainError(
        .invalidInput,
        "standard input provides the file and cannot provide a secret too",
        hint: "take the secret from file:PATH or env:NAME"
      )
    }
    return document
  }

  /// Returns the secret that a reference names.
  ///
  /// - Throws: `invalid_input` if the environment variable is not set or empty, ``TerminalError`` if the
  ///   secret cannot be read.
  @Sendable static func secret(_ reference: SecretReference) throws -> String {
    switch reference {
    case .file(let path): return try SecretSource.file(path).read()
    case .standardInput: return try SecretSource.standardInput.read()
    case .environment(let name):
      guard let secret = ProcessInfo.processInfo.environment[name], !secret.isEmpty else {
        throw DomainError(.invalidInput, "the environment variable \(name) of a secret is not set")
      }
      return secret
    }
  }
}

extension ProvisioningDocument {
  fileprivate var asksStandardInput: Bool {
    companies.contains { ($0.webhooks ?? []).contains { $0.secret == .standardInput } }
  }
}
