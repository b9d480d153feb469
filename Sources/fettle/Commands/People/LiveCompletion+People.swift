internal import ArgumentParser
internal import Domain
internal import Engine
internal import Store

extension LiveCompletion {
  /// The members of the company that the words so far name, by what stands before the `@`.
  static func members(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, seat in try await Members(services).list(seat).map(\.handle) }
  }

  /// The roles of that company.
  static func roles(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, seat in try await Roles(services).list(seat).map(\.name) }
  }

  /// Every permission.
  static func permissions() async -> [String] {
    guard let connection = try? ConnectionOptions.parse([]) else { return [] }
    let found = try? await connection.withServices { try await Roles($0).catalogue().map(\.permission.name) }
    return found ?? []  // a completion that cannot ask offers nothing
  }

  private static func inCompany(
    of words: [String], _ body: (Services, Seat) async throws -> [String]
  ) async -> [String] {
    guard let options = try? CompanyOptions.parse(companyArguments(in: words)) else { return [] }
    return (try? await options.withSeat(body)) ?? []  // a completion that cannot ask offers nothing
  }

  /// The words that name the company, wherever they stand in the unfinished command.
  private static func companyArguments(in words: [String]) -> [String] {
    for (word, next) in zip(words, words.dropFirst()) where ["--company", "-c"].contains(word) {
      return ["--company", next]
    }
    return words.first { $0.hasPrefix("--company=") }.map { [$0] } ?? []
  }
}
