internal import Domain
package import Files
package import FoundationEssentials
internal import Postgres
internal import Store

extension Attachments {
  /// Returns the text of a link to a file that the actor may read.
  ///
  /// - Parameters:
  ///   - seconds: the validity, 1 to 900.
  ///   - now: seconds since 1970.
  /// - Throws: `invalid_duration`, and the errors of opening the file. A file that is not prepared has no links.
  package func link(
    _ acting: ActingContext,
    _ id: UUID,
    _ variant: SignedLink.Variant = .content,
    seconds: Int = SignedLink.longestValidity,
    now: Int64
  ) async throws -> (text: String, expires: Int64) {
    guard (1...SignedLink.longestValidity).contains(seconds) else {
      throw DomainError(.invalidDuration, "a link is valid for 1 to \(SignedLink.longestValidity) seconds")
    }
    let content = try await open(acting, id, variant)
    guard content.file.state == .ready else {
      throw DomainError(.wrongState, "the file is not prepared yet", hint: "try again in a few seconds")
    }
    let link = SignedLink(
      company: acting.company.id,
      file: id,
      owner: content.file.owner,
      variant: variant,
      digest: content.blob.digest,
      expires: now + Int64(seconds)
    )
    return (link.text(try services.keys()), link.expires)
  }

  /// Opens the file of a link. The link itself is the right to read it.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: `not_found` for a text that is no link of this installation; `link_expired` for an expired link, and
  ///   if the file or its record was deleted or changed, or the company is closed.
  package func follow(_ text: String, now: Int64) async throws -> Content {
    let keys = try services.keys()
    let link: SignedLink
    do throws(FilesError) {
      link = try SignedLink(parsing: text, keys)
    } catch {
      throw error.asDomainError
    }
    guard now < link.expires else { throw DomainError(.linkExpired) }
    let options = TransactionOptions.inside(link.company, user: link.owner, readOnly: true)
    return try await services.database.transaction(options) { tx in
      guard let company = try CompanyStore.find(id: link.company, tx), company.status == .active,
        let file = try tx.first(
          AttachmentStore.find(company: link.company, id: link.file),
          as: AttachmentRow.self
        ),
        file.state == .ready, file.deletedAt == nil,
        let type = records.catalogue.types.first(where: { $0.name == file.recordType }),
        try tx.first(type.view(company: company.id, id: file.recordID, guards: []), as: ViewedRow.self) != nil
      else { throw DomainError(.linkExpired) }
      let reader = ActingContext(company: company, actor: .system("link"), user: link.owner)
      let content = try content(of: file, link.variant, for: reader, tx)
      guard content.blob.digest == link.digest else { throw DomainError(.linkExpired) }
      return content
    }
  }
}
