import { namesAt, objectIn, parseObject, stringIn } from './hostileJson';
import { providersNamedIn } from './managedConfiguration';

/**
 * Whether opencode can do without its catalogue of models, which costs a quarter of its start (0.8 s of a processor,
 * measured with 1.18): when a project brings all providers that it uses, with their models, and none of them is one
 * that the catalogue would add models to.
 * @param projectTexts as `managedConfiguration` has them; hostile. What they can bring about is a list without models.
 */
export function isCatalogueSpare(projectTexts: readonly string[]): boolean {
  const projects = projectTexts.map(parseObject);
  const { defined, chosen } = providersNamedIn(projects);
  const isBrought = (id: string): boolean =>
    !catalogued.has(id) &&
    projects.some((project) => {
      const provider = objectIn(objectIn(project, 'provider'), id);
      return stringIn(provider, 'npm') !== undefined && namesAt(provider, 'models').length > 0;
    });
  return defined.length > 0 && [...defined, ...chosen].every(isBrought);
}

/** The ids of all providers in the catalogue of opencode 1.18.33, read in its program. */
const catalogued: ReadonlySet<string> = new Set(
  `
  302ai abacus abliteration-ai above agentrouter agnes ai-router ai21 aiand aihubmix ainetcafe aixy
  aki-io alibaba alibaba-cn alibaba-coding-plan alibaba-coding-plan-cn alibaba-token-plan
  alibaba-token-plan-cn amazon-bedrock ambient amd anthropic anyapi arcee atomic-chat auriko azure
  azure-cognitive-services bailing baseten bee berget blueclaw bothub cerebras chutes clarifai
  claudinio cline-pass cloudferro-sherlock cloudflare-ai-gateway cloudflare-workers-ai cohere
  coralbricks cortecs crof crossmodel crusoe daoxe databricks deepinfra deepseek digitalocean
  dinference drun ebcloud echo edenai empiriolabs evroc fastrouter fireworks-ai freemodel friendli
  frogbot github-copilot gitlab gmicloud google google-vertex google-vertex-anthropic greenpt groq
  helicone hetzner hpc-ai huggingface hyper iflowcn impossibl inception inceptron inco infer inference
  inferx infomaniak io-net iteracompute jalapeno jiekou kenari kilo kimi-code-plan-cn
  kimi-code-plan-global klokintegration kosmik kuae-cloud-coding-plan lilac llama llmgateway
  llmgateway-providers llmtech llmtr lmstudio longcat lucidquery lynkr meganova melious merge-gateway
  meta minimax minimax-cn minimax-cn-coding-plan minimax-coding-plan mistral mixlayer moark modal
  model-oracle-ai modelis modelscope moonshotai moonshotai-cn morph nan nano-gpt nearai nebius neon
  neosmith neuralwatt nova novita-ai nvidia oci ofox ollama-cloud openai opencode opencode-go
  openreason openrouter opper orcarouter ovhcloud pareto pendra perplexity perplexity-agent pioneer
  poe poolside privatemode-ai qihang-ai qiniu-ai qvac regolo-ai requesty routing-run runinfra sakana
  salad-cloud sap-ai-core sarvam scaleway scnet-token-plan scx-ai sensenova siliconflow siliconflow-cn
  snowflake-cortex stackit standardcompute stepfun stepfun-ai stepfun-ai-step-plan stepfun-step-plan
  subconscious submodel synthetic tempr tencent-coding-plan tencent-token-plan tencent-tokenhub
  tensorx the-grid-ai thinkingmachines tinfoil togetherai tokengo tokenrouter trustedrouter umans-ai
  umans-ai-coding-plan unorouter upstage v0 vancine venice vercel vispark vivgrid volcengine
  volcengine-coding-plan vultr wafer.ai wallaby wandb watsonx xai xiaomi xiaomi-token-plan-ams
  xiaomi-token-plan-cn xiaomi-token-plan-sgp xpersona zai zai-coding-plan zeldoc zenifra zenmux
  zhipuai zhipuai-coding-plan
`
    .trim()
    .split(/\s+/),
);
