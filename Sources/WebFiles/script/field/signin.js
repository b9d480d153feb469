// Sign-in: password, second factor, and which company.
import { call, enterCompany, forgetAccount, signIn } from './account.js';
import { el, field } from './dom.js';
import { check, json, NetError } from './net.js';
import { has, t } from './words.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./account.js').Account} Account */

/**
 * @param {(account: Account | null, path?: string) => Promise<void>} use
 * @param {App} [app] where somebody else of this phone is signed in, or must sign in again
 */
export const signInScreen = async (use, app) => {
  const node = el('div', { class: 'form' });
  const again = app?.account.isOut || app?.sync.problem === 'signed-out' ? app?.account : undefined;
  const problem = el('p', { class: 'bar bad', role: 'alert', hidden: true });
  const explain = (/** @type {unknown} */ error) => {
    const code = error instanceof NetError ? error.kind === 'refused' ? error.code : error.kind : '';
    problem.textContent = has(`error.${code}`) ? t(`error.${code}`) : error instanceof Error && error.message !== 'refused' ? error.message : t('error.sign-in');
    problem.hidden = false;
  };
  const done = async (/** @type {Account} */ account, /** @type {boolean} */ isKnown) => {
    const list = await call(account.key, '/v1/me/companies').then(check).then(json).catch(() => ({ items: [] }));
    const others = list.items.filter((/** @type {any} */ one) => one.status === 'active');
    if (others.length < 2 || again) { await use(account, '/app/'); return; }
    node.replaceChildren(el('p', {}, t('company.which')), el('ul', { class: 'rows big' }, others.map((/** @type {any} */ one) => el('li', {}, el('button', {
      class: 'button wide', type: 'button', on: { click: async () => {
        if (one.slug === account.company.slug) { await use(account, '/app/'); return; }
        try {
          const { account: other } = await enterCompany(account.key, one.slug);
          // An account that was used here before can have work that waits.
          if (!isKnown) await forgetAccount(account.key);
          await use(other, '/app/');
        } catch (error) { node.prepend(problem); explain(error); }
      } },
    }, one.name)))));
  };
  const step = (/** @type {any} */ result) => {
    if (result.account) return done(result.account, result.isKnown);
    const code = el('input', { name: 'code', inputmode: 'numeric', autocomplete: 'one-time-code', required: true });
    node.replaceChildren(problem, el('form', { on: { submit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      problem.hidden = true;
      try { await step(await signIn('second-factor', { step_token: result.step_token, code: code.value.trim() })); } catch (error) { explain(error); if (error instanceof NetError && error.code === 'sign_in_refused') problem.textContent = t('error.code'); }
    } } }, el('p', {}, t('code.text')), field('code', t('code.label'), code), el('div', { class: 'buttons' }, el('button', { class: 'button primary wide', type: 'submit' }, t('code.go')))));
    problem.hidden = true;
    code.focus();
    return undefined;
  };
  const email = el('input', { name: 'email', type: 'email', autocomplete: 'username', required: true, set: { value: again?.email ?? '' } });
  const password = el('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const button = el('button', { class: 'button primary wide', type: 'submit' }, t('sign-in.go'));
  const providers = el('div', {});
  node.append(problem, again ? el('p', {}, t('out.kept')) : el('p', {}, t('sign-in.text')), el('form', { on: { submit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    problem.hidden = true;
    try { await step(await signIn('sign-in', { email: email.value.trim(), password: password.value, company: again?.company.slug })); } catch (error) { explain(error); } finally { button.disabled = false; }
  } } }, field('email', t('sign-in.email'), email), field('password', t('sign-in.password'), password), el('div', { class: 'buttons' }, button)), providers,
  el('p', { class: 'quiet below' }, t('sign-in.new'), ' ', el('a', { href: '/sign-up' }, t('sign-in.sign-up'))));
  json(await fetch('/v1/auth/providers', { signal: AbortSignal.timeout(1_500) }).catch(() => new Response('{}'))).catch(() => ({})).then(({ items = [] }) => {
    providers.replaceChildren(...items.filter((/** @type {any} */ one) => one.start).map((/** @type {any} */ one) => el('p', {}, el('a', { class: 'button wide', href: `${one.start}?redirect=/app/&refresh=cookie`, target: '_self' }, t('sign-in.with', one.label ?? one.name)))));
  });
  // Back from an identity provider: the second factor is missing, or the provider has refused.
  const query = new URL(location.href).searchParams;
  if (query.get('second_factor') === 'required') step({});
  else if (query.has('sign_in_error')) explain(new NetError('refused', { code: query.get('sign_in_error') ?? '' }));
  return { title: t(again ? 'out.again' : 'sign-in.title'), node, isForm: true, back: app ? '/app/more' : undefined };
};
