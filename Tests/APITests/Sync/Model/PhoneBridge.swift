import Domain
import EngineFixtures
import FettleClient
import Foundation
import TestTools
import Values
import Web

/// Serves the field app's modules to a browser, and passes its requests on to a transport of the model.
///
/// What the transport loses, the browser does not get an answer to: the connection is closed.
struct PhoneBridge: Sendable {
  private let server: LoopbackServer
  var port: Int { server.port }

  init(_ transport: any Transport, user: UUID) throws {
    let page = Self.page(key: String(UUID().text.filter { $0 != "-" }.prefix(16)), user: user)
    server = try LoopbackServer(concurrent: true) { client in
      guard let request = HookReceiver.read(from: client) else { return }
      let words = request.line.split(separator: " ").map(String.init)
      guard words.count == 3, let method = Request.Method(rawValue: words[0]) else { return }
      switch words[1] {
      case "/":
        client.answer(200, ["content-type": "text/html"], Array("<!doctype html><title>Phone</title>".utf8))
      case "/phone.js": client.answer(200, ["content-type": "text/javascript"], Array(page.utf8))
      case let path where path.hasPrefix("/app/"):
        let file = FieldApp.standard.file(path.split(separator: "/").last.map(String.init) ?? "")
        client.answer(
          file == nil ? 404 : 200,
          ["content-type": file?.mediaType ?? "text/plain"],
          file?.bytes ?? []
        )
      case "/favicon.ico": client.answer(404, [:], [])
      case let path:
        // Signing in is the transport's own, for a browser's session too.
        let isRefresh = path == "/v1/auth/refresh"
        let asked = Request(
          method,
          isRefresh ? "/v1/auth/sign-in" : path,
          headers: request.headers.filter {
            !["host", "connection", "content-length", "origin"].contains($0.key)
          },
          body: request.body
        )
        guard let answer = try? Blocking.wait({ try await transport.send(asked) }) else { return }
        var fields = answer.headers.filter {
          !["content-length", "connection"].contains($0.key.lowercased())
        }
        fields["x-request-id"] = request.headers["x-request-id"]
        client.answer(answer.status, fields, method == .head ? [] : answer.body)
      }
    }
  }

  func stop() { server.stop() }

  /// The page's functions over the app's own store and queue. What a person does by buttons is written as the buttons do.
  private static func page(key: String, user: UUID) -> String {
    """
    import { Store } from '/app/b/now/store.js';
    import { Sync } from '/app/b/now/sync.js';
    import { after, isOpen } from '/app/b/now/item.js';
    import { call } from '/app/b/now/account.js';
    const account = { key: '\(key)', user: '\(user.text)', name: 'Member', email: '', company: { slug: 'model', name: 'Model' }, used: 1 };
    let store, sync;
    const opened = () => { if (!store) throw new Error('not open'); return store; };
    const found = no => opened().queue.find(row => row.no === no && row.device === store.meta.device) ?? store.queue.find(row => row.no === no);
    const bytesOf = text => Uint8Array.from(atob(text), one => one.charCodeAt(0)).buffer;
    const waits = ({ status }) => ['pending', 'uploading', 'failed'].includes(status);
    const mine = row => row.status === 'synced' || row.status === 'resolved' && row.decision === 'mine';
    export const phone = {
      async open() {
        if (store) return;
        store = await new Store(account).load();
        sync = new Sync(store);
        // Words, rights and names are drawn, not synchronised.
        await store.write({ meta: { described: 8e15 } });
      },
      device: async () => opened().meta.device,
      unsynced: async () => opened().open.length + [...store.files.values()].filter(waits).length,
      changes: async () => opened().queue,
      async waiting() {
        const blockers = new Map();
        const list = opened().open.map(row => {
          const own = [row.answer?.code, row.answer?.detail].filter(Boolean).join(': ');
          const key = `${row.type} ${row.id}`;
          const decides = row.status === 'conflict' || row.status === 'failed';
          const reason = decides ? row.decision ?? `${row.status} ${own}` : blockers.has(key) ? `waits for ${blockers.get(key)}` : own || null;
          if (reason && !blockers.has(key)) blockers.set(key, row.no);
          return { no: row.no, device: row.device, type: row.type, record: row.id, decides: decides && !row.decision, reason };
        });
        for (const file of store.files.values()) {
          const change = found(file.no);
          if (!waits(file) || change && !mine(change)) continue;
          list.push({ file: file.id, type: file.type, record: file.record, decides: file.status === 'failed', reason: file.status === 'failed' ? `failed ${file.code ?? ''}` : file.code ?? null });
        }
        return list;
      },
      async all(type) {
        const rows = await Promise.all(opened().rows(type).map(({ id }) => store.record(type, id)));
        return rows.filter(Boolean).map(({ fields, version, above }) => ({ id: fields.id, fields, version, changed: above.length > 0 }));
      },
      make: async (type, id, fields) => { await opened().save([{ op: 'create', type, id, fields }]); },
      async edit(type, id, fields) {
        const known = await opened().record(type, id);
        const before = Object.fromEntries(Object.keys(fields).map(name => [name, known.fields[name] ?? null]));
        await store.save([{ op: 'patch', type, id, fields, before, base_version: known.version }]);
      },
      move: async (type, id, transition) => { await opened().save([{ op: 'transition', type, id, transition }]); },
      remove: async (type, id) => { await opened().save([{ op: 'delete', type, id }]); },
      async attach(type, id, file, text) {
        const bytes = bytesOf(text);
        await opened().save([{ op: 'attach', type, id, file: { id: file, kind: 'photo', name: 'photo.jpg', size: bytes.byteLength } }], { bytes: new Map([[file, bytes]]) });
      },
      resolve: async (no, decision) => { await opened().write({ mutations: [[found(no), { decision }]] }); },
      async retry(no) {
        const row = found(no);
        await store.write({ mutations: [[row, { status: 'pending', attempts: 0, asks_retry: !!row.result, decision: undefined }]] });
      },
      async file(id, event) { await opened().write({ files: [[store.files.get(id), after(store.files.get(id), event)]] }); },
      async synchronise() {
        if (!store.types.size) {
          try {
            const answer = await call(account.key, '/v1/types?lang=en');
            await store.write({ types: (await answer.json()).types ?? [] });
          } catch (error) { return error.kind ?? 'offline'; }
        }
        return await sync.run() ? '' : sync.problem || 'busy';
      },
    };
    """
  }
}

extension LoopbackConnection {
  /// Sends an answer, and the client closes the connection.
  fileprivate func answer(_ status: Int, _ fields: [String: String], _ body: [UInt8]) {
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    let head = "HTTP/1.1 \(status) Said\r\n\(lines)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    send(Array(head.utf8) + body)
  }
}
