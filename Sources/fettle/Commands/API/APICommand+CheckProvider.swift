internal import API
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Server
internal import SignIn
internal import Terminal

extension APICommand {
  struct CheckProvider: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check-provider",
      abstract: "Check an identity provider without signing in",
      scope: .computer,
      discussion: """
        Reads the provider's discovery document and keys, and shows the token endpoint
        a code that nobody has issued, to see whether it accepts this server as the
        client. Exit code 1 if a step fails.

        Example:
          fettle api check-provider staff --identity-providers providers.yaml
        """
    )

    @Argument(help: ArgumentHelp("Name of the provider in the file", valueName: "name")) var provider: String

    @Option(help: ArgumentHelp("YAML file with identity providers for sign-in", valueName: "file"))
    var identityProviders: String

    @Option(
      help: ArgumentHelp(
        "Origin under which clients reach the API (default: that of the server started last)",
        valueName: "url"
      )
    )
    var publicURL: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard publicURL.map({ PublicOrigin($0) != nil }) ?? true else {
        throw ValidationError("--public-url takes a scheme and a host, such as https://fettle.example")
      }
    }

    func run() async throws {
      let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
      let providers = try ProviderFile.read(identityProviders, credentials: credentials)
      guard let named = providers.all.first(where: { $0.issuer.name == provider }) else {
        let names = providers.all.map(\.issuer.name)
        throw DomainError(
          .notFound,
          "the file has no identity provider \(Quoted(provider))",
          hint: names.isEmpty ? "add one to the file" : "use one of: \(names.joined(separator: ", "))"
        )
      }
      let origin = publicURL.flatMap { PublicOrigin($0) }?.text ?? ServerAddress.last(isEmbedded: true)
      let findings = await ProviderCheck(named, origin: origin).run()
      try output.print(
        findings: findings.map { .init($0.step, $0.state.rawValue, $0.text, remedy: $0.remedy) },
        of: "step"
      )
      if findings.contains(where: { $0.state == .failed }) { throw ArgumentParser.ExitCode(1) }
    }
  }
}
