internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The files of a record, with small pictures, and a form to add one.
struct FilesPart {
  let visit: Visit
  let screen: RecordScreen
  let terms: TypeWords
  let key: String
  /// Why a file was not added; nil if none was sent.
  let fault: String?

  init(_ visit: Visit, _ screen: RecordScreen, _ terms: TypeWords, key: String, fault: String? = nil) {
    self.visit = visit
    self.screen = screen
    self.terms = terms
    self.key = key
    self.fault = fault
  }

  private var words: Words { terms.words }

  var html: HTML {
    let rules = screen.type.definition.attachments
    guard !rules.isEmpty || !screen.files.isEmpty else { return .none }
    let list: HTML =
      screen.files.isEmpty
      ? "<p class=\"quiet\">\(words("files.none"))</p>" : "<ul class=\"files\">\(screen.files.map(item))</ul>"
    return """
      <section class="card" aria-labelledby="files"><h2 id="files">\(words("files.title"))</h2>
      \(list)\(form(rules))</section>
      """
  }

  private func item(_ file: AttachmentRow) -> HTML {
    let address = Place(["v1", "files", file.id.text, "content"])
    let small = Place(["v1", "files", file.id.text, "content"], query: [("variant", "thumbnail")])
    let id = screen.record["id"]?.string ?? ""
    let place = visit.place(of: screen.type, id, "files", file.id.text, "remove")
    let remove: HTML =
      screen.mayAttach && visit.grant == nil
      ? ActionButton.asking(place, words("files.remove"), of: file.name, words("files.remove.text")) : .none
    let by: HTML = file.author.map { "<span class=\"quiet\">\(own: $0)</span>" } ?? .none
    let picture: HTML =
      file.state == .ready && file.thumbnailDigest != nil
      ? "<img src=\"\(link: small)\" alt=\"\" loading=\"lazy\" width=\"120\" height=\"90\">"
      : "<span class=\"no-picture\">\(Icon.file)</span>"
    switch file.state {
    case .ready:
      return
        "<li><a href=\"\(link: address)\">\(picture)<span>\(own: file.name)</span></a>\(by)\(remove)</li>"
    case .pending:
      return
        "<li>\(picture)<span>\(own: file.name)</span><span class=\"quiet\">\(words("files.pending"))</span>\(remove)</li>"
    case .awaited:
      return
        "<li>\(picture)<span>\(own: file.name)</span><span class=\"quiet\">\(words("files.awaited"))</span>\(remove)</li>"
    case .refused:
      return
        "<li>\(picture)<span>\(own: file.name)</span><span class=\"bad\">\(words("files.refused"))</span>\(remove)</li>"
    }
  }

  private func form(_ rules: [AttachmentRule]) -> HTML {
    guard screen.mayAttach, let first = rules.first else { return .none }
    let id = screen.record["id"]?.string ?? ""
    let kinds: HTML =
      rules.count == 1
      ? .none
      : """
      <div class="field"><label for="file-kind">\(words("files.kind"))</label><select id="file-kind" name="kind">\(rules.map { Select.option($0.kind, TypeWords.readable($0.kind), isChosen: false) })</select></div>
      """
    let media = rules.flatMap(\.media).joined(separator: ",")
    let least = rules.map(\.maximumBytes).min() ?? 0
    let shrink = Place(["app", "b", FieldApp.standard.build, "photos.js"])
    let most = NumberText(words.language).text(decimal: Self.megabytes(rules.map(\.maximumBytes).max() ?? 0))
    return """
      <form class="add-file" method="post" enctype="multipart/form-data" action="\(link: visit.place(of: screen.type, id, "files"))">
      \(rules.count == 1 ? hidden("kind", first.kind) : kinds)
      <div class="field"><label for="file">\(words("files.add"))</label>\(Notice.fault(fault))
      <p class="hint" id="file-hint">\(words("files.hint", most))</p>
      <input id="file" name="file" type="file" accept="\(media)" data-shrink="\(link: shrink)" data-most="\(least)" aria-describedby="file-hint" required></div>
      <button class="button" type="submit">\(words("files.send"))</button>
      </form>
      """
  }

  /// Returns a size in megabytes with at most one decimal.
  static func megabytes(_ bytes: Int) -> String {
    let tenths = (bytes * 10 + 524_288) / 1_048_576
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
