internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

extension CompanyCommand {
  struct Quota: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show or set the quotas of a company",
      scope: .namedCompany,
      discussion: """
        A quota limits the number of records of a type, or of all types together if the
        type is *. The quota bytes limits the bytes of files. An empty value removes a
        quota. Private records are counted per member and not shown. Only operators can
        set quotas.

        Examples:
          fettle company quota acme
          fettle company quota acme maintenance.entry=100000 "*=500000"
          fettle company quota acme maintenance.entry=
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @Argument(help: ArgumentHelp("Quotas to set", valueName: "type=n")) var limits: [String] = []

    func run() async throws {
      let wishes = try FieldArguments.object(limits).members.map { type, value in
        guard let text = value.string else { return (type: type, maximum: Int64?.none) }
        guard let maximum = Int64(text) else {
          throw DomainError(
            .invalidNumber,
            "\(type): \(Quoted(text)) is not a number of records",
            hint: "write \(type)=1000, or \(type)= to remove the quota"
          )
        }
        return (type: type, maximum: Int64?.some(maximum))
      }
      try await company.withActingContext { services, acting in
        let quotas = Quotas(services, try await Records.open(services))
        if !wishes.isEmpty { try await quotas.set(acting, wishes) }
        try output.print(
          Table(
            columns: [Column("type"), Column("used", kind: .number), Column("limit", kind: .number)],
            rows: try await quotas.list(acting).map { usage in
              [.string(usage.type), .integer(usage.used), usage.maximum.map { .integer($0) } ?? .null]
            }
          )
        )
      }
    }
  }
}
